// The Gaussian error linear unit by erf.
// expect gelu_erf: proved
// expect gelu_erf ptx: proved
// expect gelu_erf_unscaled: refuted value
// expect gelu_erf_no_guard: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (fault != 2 && i >= n) return;
  float v = x[i];
  y[i] = 0.5f * v * (1.0f + erff(fault == 1 ? v : v * 0.70703125f));
}
__global__ void gelu_erf(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void gelu_erf_unscaled(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void gelu_erf_no_guard(const float* x, float* y, int n) { body<2>(x, y, n); }
