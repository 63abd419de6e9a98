// One step of Adam without bias correction.
// expect adam: proved
// expect adam ptx: proved
// expect adam_stale_moment: refuted value
// expect adam_wrong_guard: refuted coverage value
__global__ void adam(float* p, float* m, float* v, const float* g, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float a = 0.875f * m[i] + 0.125f * g[i];
  float b = 0.9375f * v[i] + 0.0625f * (g[i] * g[i]);
  m[i] = a;
  v[i] = b;
  p[i] -= 0.25f * a / (sqrtf(b) + 0.5f);
}
__global__ void adam_stale_moment(float* p, float* m, float* v, const float* g, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float a = 0.875f * m[i] + 0.125f * g[i];
  float b = 0.9375f * v[i] + 0.0625f * (g[i] * g[i]);
  p[i] -= 0.25f * m[i] / (sqrtf(b) + 0.5f);
  m[i] = a;
  v[i] = b;
}
__global__ void adam_wrong_guard(float* p, float* m, float* v, const float* g, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n - 1) return;
  float a = 0.875f * m[i] + 0.125f * g[i];
  float b = 0.9375f * v[i] + 0.0625f * (g[i] * g[i]);
  m[i] = a;
  v[i] = b;
  p[i] -= 0.25f * a / (sqrtf(b) + 0.5f);
}
