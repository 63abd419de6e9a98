// Greatest integer of each row, a warp for each; a maximum that starts from 0 is none of negative numbers.
// expect row_max_integers: proved
// expect row_max_integers ptx: proved
// expect row_max_integers_zero: refuted value
// expect row_max_integers_level: refuted value
__device__ int greatest(const int* x, int row, int n, int start, int last) {
  int m = start;
  for (int i = threadIdx.x; i < n; i += 32) m = max(m, x[(size_t)row * n + i]);
  for (int o = 16; o > last; o >>= 1) m = max(m, __shfl_xor_sync(0xffffffffu, m, o));
  return m;
}
__global__ void row_max_integers(const int* x, int* y, int n) {
  int m = greatest(x, blockIdx.x, n, -2147483647 - 1, 0);
  if (threadIdx.x == 0) y[blockIdx.x] = m;
}
__global__ void row_max_integers_zero(const int* x, int* y, int n) {
  int m = greatest(x, blockIdx.x, n, 0, 0);
  if (threadIdx.x == 0) y[blockIdx.x] = m;
}
__global__ void row_max_integers_level(const int* x, int* y, int n) {
  int m = greatest(x, blockIdx.x, n, -2147483647 - 1, 1);
  if (threadIdx.x == 0) y[blockIdx.x] = m;
}
