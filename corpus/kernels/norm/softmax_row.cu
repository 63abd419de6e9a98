// Softmax of a row in three passes, one thread a row.
// expect softmax_row: proved
// expect softmax_row ptx: proved
// expect softmax_wrong_row: refuted bounds
// expect softmax_short_sum: refuted value
__global__ void softmax_row(const float* x, float* y, int n, int rows) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  const float* in = x + (size_t)r * n;
  float m = in[0];
  for (int i = 1; i < n; ++i) m = fmaxf(m, in[i]);
  float s = 0.0f;
  for (int i = 0; i < n; ++i) s += expf(in[i] - m);
  for (int i = 0; i < n; ++i) y[(size_t)r * n + i] = expf(in[i] - m) / s;
}
__global__ void softmax_short_sum(const float* x, float* y, int n, int rows) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  const float* in = x + (size_t)r * n;
  float m = in[0];
  for (int i = 1; i < n; ++i) m = fmaxf(m, in[i]);
  float s = 0.0f;
  for (int i = 1; i < n; ++i) s += expf(in[i] - m);
  for (int i = 0; i < n; ++i) y[(size_t)r * n + i] = expf(in[i] - m) / s;
}
__global__ void softmax_wrong_row(const float* x, float* y, int n, int rows) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r > rows) return;
  const float* in = x + (size_t)r * n;
  float m = in[0];
  for (int i = 1; i < n; ++i) m = fmaxf(m, in[i]);
  float s = 0.0f;
  for (int i = 0; i < n; ++i) s += expf(in[i] - m);
  for (int i = 0; i < n; ++i) y[(size_t)r * n + i] = expf(in[i] - m) / s;
}
