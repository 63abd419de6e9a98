// y = a + b in grid-stride loops.
// expect vector_add: proved
// expect vector_add ptx: proved
// expect vector_add_off_by_one: refuted bounds
// expect vector_add_small_stride: refuted race
__global__ void vector_add(const float* a, const float* b, float* y, size_t n) {
  for (size_t i = blockIdx.x * (size_t)256 + threadIdx.x; i < n; i += (size_t)256 * 64) y[i] = a[i] + b[i];
}
__global__ void vector_add_off_by_one(const float* a, const float* b, float* y, size_t n) {
  for (size_t i = blockIdx.x * (size_t)256 + threadIdx.x; i <= n; i += (size_t)256 * 64) y[i] = a[i] + b[i];
}
__global__ void vector_add_small_stride(const float* a, const float* b, float* y, size_t n) {
  for (size_t i = blockIdx.x * (size_t)256 + threadIdx.x; i < n; i += (size_t)256 * 32) y[i] = a[i] + b[i];
}
