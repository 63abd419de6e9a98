// Layer normalisation in two passes, one thread a row.
// expect layer_norm_row: proved
// expect layer_norm_row ptx: proved
// expect layer_norm_row_uncentred: refuted value
// expect layer_norm_row_parameters: refuted value
template <int fault>
__device__ void body(const float* x, const float* g, const float* b, float* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  const float* in = x + (size_t)r * n;
  float s = 0.0f;
  for (int i = 0; i < n; ++i) s += in[i];
  float mean = s / n;
  float q = 0.0f;
  for (int i = 0; i < n; ++i) q += fault == 1 ? in[i] * in[i] : (in[i] - mean) * (in[i] - mean);
  float scale = rsqrtf(q / n + 0.125f);
  for (int i = 0; i < n; ++i) {
    float v = (in[i] - mean) * scale;
    y[(size_t)r * n + i] = fault == 2 ? v * b[i] + g[i] : v * g[i] + b[i];
  }
}
__global__ void layer_norm_row(const float* x, const float* g, const float* b, float* y, int rows, int n) { body<0>(x, g, b, y, rows, n); }
__global__ void layer_norm_row_uncentred(const float* x, const float* g, const float* b, float* y, int rows, int n) { body<1>(x, g, b, y, rows, n); }
__global__ void layer_norm_row_parameters(const float* x, const float* g, const float* b, float* y, int rows, int n) { body<2>(x, g, b, y, rows, n); }
