// Mean and variance of each row in one pass, after Welford.
// expect welford_row: proved
// expect welford_row ptx: proved
// expect welford_row_old_mean: refuted value
// expect welford_row_old_mean ptx: refuted value
// expect welford_row_count: refuted value
// expect welford_row_count ptx: refuted value
template <int fault>
__device__ void body(const float* x, float* mean, float* var, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  float m = 0.0f, q = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    float v = x[(size_t)r * n + i];
    float d = v - m;
    m += d / (float)(fault == 2 ? i + 2 : i + 1);
    q += d * (fault == 1 ? d : v - m);
  }
  mean[r] = m;
  var[r] = q / n;
}
__global__ void welford_row(const float* x, float* mean, float* var, int rows, int n) { body<0>(x, mean, var, rows, n); }
__global__ void welford_row_old_mean(const float* x, float* mean, float* var, int rows, int n) { body<1>(x, mean, var, rows, n); }
__global__ void welford_row_count(const float* x, float* mean, float* var, int rows, int n) { body<2>(x, mean, var, rows, n); }
