// The Euclidean length of each row, one thread a row.
// expect row_norm: proved
// expect row_norm ptx: proved
// expect row_norm_first: refuted value
// expect row_norm_rows: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (fault == 2 ? r > rows : r >= rows) return;
  float a = 0.0f;
  for (int i = fault == 1 ? 1 : 0; i < n; ++i) {
    float v = x[(size_t)r * n + i];
    a = fmaf(v, v, a);
  }
  y[r] = sqrtf(a);
}
__global__ void row_norm(const float* x, float* y, int rows, int n) { body<0>(x, y, rows, n); }
__global__ void row_norm_first(const float* x, float* y, int rows, int n) { body<1>(x, y, rows, n); }
__global__ void row_norm_rows(const float* x, float* y, int rows, int n) { body<2>(x, y, rows, n); }
