// A mask of half a warp, of which a lane that does not take part is another matter.
// expect half_warp: proved
// expect half_warp_wrong: refuted shuffle
// expect half_warp ptx: proved
// expect half_warp_wrong ptx: refuted shuffle
__global__ void half_warp(const int* x, int* y) {
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  unsigned v = x[i];
  if (t < 16) {
    for (int o = 8; o > 0; o /= 2) v += __shfl_down_sync(0x0000ffffu, v, o, 16);
    if (t == 0) y[blockIdx.x] = (int)v;
  }
}
__global__ void half_warp_wrong(const int* x, int* y) {
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  int v = x[i];
  if (t < 16) {
    for (int o = 8; o > 0; o /= 2) v += __shfl_down_sync(0x00ffffffu, v, o, 16);
    if (t == 0) y[blockIdx.x] = v;
  }
}
