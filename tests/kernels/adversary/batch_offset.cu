// An offset into a batch that 32 bits do not hold: few blocks of a large launch show it.
// expect batch_offset: proved
// expect batch_offset_wrong: refuted bounds
// expect batch_offset ptx: proved
// expect batch_offset_wrong ptx: refuted bounds
__global__ void batch_offset(const float* x, float* y, int batch, int len) {
  int b = blockIdx.y, i = blockIdx.x * 256 + threadIdx.x;
  if (i < len) {
    size_t o = (size_t)b * len + i;
    y[o] = -x[o];
  }
}
__global__ void batch_offset_wrong(const float* x, float* y, int batch, int len) {
  int b = blockIdx.y, i = blockIdx.x * 256 + threadIdx.x;
  if (i < len) y[b * len + i] = -x[b * len + i];
}
