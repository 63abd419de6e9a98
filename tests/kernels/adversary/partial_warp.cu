// A full mask in a warp that is not full: nobody says what comes of it, so nothing behind it is known to happen.
// expect partial_warp: open shuffle init value
// expect partial_warp ptx: open shuffle init value
__global__ void partial_warp(const unsigned* x, unsigned* y) {
  __shared__ unsigned part[32];
  int t = threadIdx.x;
  unsigned s = x[t];
  for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
  if ((t & 31) == 0) part[t >> 5] = s;
  __syncthreads();
  if (t == 0) {
    unsigned r = 0;
    for (int w = 0; w < (blockDim.x + 31) / 32; ++w) r += part[w];
    y[0] = r;
  }
}
