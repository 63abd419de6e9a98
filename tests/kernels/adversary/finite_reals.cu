// Over the reals there are no infinities and no NaNs; roundings, overflow and absorption are no faults.
// expect finite_reals: proved
// expect finite_reals ptx: proved
// expect finite_reals_mask: refuted value
// expect finite_reals_mask ptx: refuted value
// expect finite_reals_absorbed: proved
// expect finite_reals_absorbed ptx: proved
// expect finite_reals_shifted: refuted value
// expect finite_reals_shifted ptx: refuted value
// expect finite_reals_running: proved
// expect finite_reals_running ptx: proved
// expect finite_reals_pole: refuted value
// expect finite_reals_pole ptx: refuted value
__global__ void finite_reals(const float* x, float* y, int n, int k) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = x[i] * (i < k ? 1.f : 0.f);
}
__global__ void finite_reals_mask(const float* x, float* y, int n, int k) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = x[i] * (i <= k ? 1.f : 0.f);
}
__global__ void finite_reals_absorbed(const float* x, float* y, int n, int k) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = i < k ? (x[i] + 1048576.f * 1048576.f) - 1048576.f * 1048576.f : 0.f;
}
__global__ void finite_reals_shifted(const float* x, float* y, int n, int k) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = i < k ? (x[i] + 1024.f) - 1023.f : 0.f;
}
__global__ void finite_reals_running(const float* x, float* y, int n, int k) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  float m = x[0];
  for (int j = 1; j <= i; ++j)
    if (x[j] > m) m = x[j];
  y[i] = i < k ? x[i] + (m - m) : 0.f;
}
__global__ void finite_reals_pole(const float* x, float* y, int n, int k) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) y[i] = i < k ? x[i] * x[i] / x[i] : 0.f;
}
