// A row may have no elements: nothing follows from a digit that would have to be below nothing.
// expect flat_empty: proved
// expect flat_empty ptx: proved
// expect flat_empty_unguarded: refuted ub
// expect flat_empty_other: refuted value
// expect flat_empty_other ptx: refuted value
__global__ void flat_empty(const float* x, float* y, int C, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < C * W) y[i % W * C + i / W] = x[i];
}
__global__ void flat_empty_unguarded(const float* x, float* y, int C, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i % W * C + i / W] = x[i];
}
__global__ void flat_empty_other(const float* x, float* y, int C, int W) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < C * W) y[i % C * W + i / C] = x[i];
}
