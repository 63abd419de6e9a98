// The first place of the greatest element, one thread a row.
// expect argmax_row: proved
// expect argmax_row_minimum: refuted value
// expect argmax_row_last: refuted value
template <int fault>
__device__ void body(const float* x, int* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  float m = x[(size_t)r * n];
  int at = 0;
#pragma unroll 1
  for (int i = 1; i < n; ++i) {
    float v = x[(size_t)r * n + i];
    if (fault == 1 ? v < m : m < v) {
      m = v;
      at = fault == 2 ? i - 1 : i;
    }
  }
  y[r] = at;
}
__global__ void argmax_row(const float* x, int* y, int rows, int n) { body<0>(x, y, rows, n); }
__global__ void argmax_row_minimum(const float* x, int* y, int rows, int n) { body<1>(x, y, rows, n); }
__global__ void argmax_row_last(const float* x, int* y, int rows, int n) { body<2>(x, y, rows, n); }
