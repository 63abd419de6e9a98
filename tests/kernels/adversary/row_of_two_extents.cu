// Rows whose length is a product of two sizes: what the products share is a size of its own.
// expect row_of_two_extents: proved
// expect row_of_two_extents ptx: proved
// expect row_of_two_extents_past: refuted bounds race
// expect row_of_two_extents_past ptx: refuted bounds race
// expect row_of_two_extents_short: refuted coverage
// expect row_of_two_extents_short ptx: refuted coverage
__global__ void row_of_two_extents(const float* x, float* y, int h, int w) {
  int size = h * w;
#pragma unroll 1
  for (int i = threadIdx.x; i < size; i += 256) y[blockIdx.x * size + i] = x[blockIdx.x * size + i];
}
__global__ void row_of_two_extents_past(const float* x, float* y, int h, int w) {
  int size = h * w;
#pragma unroll 1
  for (int i = threadIdx.x; i <= size; i += 256) y[blockIdx.x * size + i] = x[blockIdx.x * size + i];
}
__global__ void row_of_two_extents_short(const float* x, float* y, int h, int w) {
  int size = h * w - 1;
#pragma unroll 1
  for (int i = threadIdx.x; i < size; i += 256) y[blockIdx.x * h * w + i] = x[blockIdx.x * h * w + i];
}
