// Rows divided by their lengths, one thread a row.
// expect l2_normalise: proved
// expect l2_normalise ptx: proved
// expect l2_normalise_squared: refuted value
// expect l2_normalise_last: refuted coverage
template <int fault>
__device__ void body(const float* x, float* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  float s = 0.0f;
  for (int i = 0; i < n; ++i) s += x[(size_t)r * n + i] * x[(size_t)r * n + i];
  float scale = fault == 1 ? 1.0f / (s + 0.25f) : rsqrtf(s + 0.25f);
  for (int i = 0; i < (fault == 2 ? n - 1 : n); ++i) y[(size_t)r * n + i] = x[(size_t)r * n + i] * scale;
}
__global__ void l2_normalise(const float* x, float* y, int rows, int n) { body<0>(x, y, rows, n); }
__global__ void l2_normalise_squared(const float* x, float* y, int rows, int n) { body<1>(x, y, rows, n); }
__global__ void l2_normalise_last(const float* x, float* y, int rows, int n) { body<2>(x, y, rows, n); }
