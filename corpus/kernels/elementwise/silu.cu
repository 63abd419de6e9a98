// x / (1 + exp(-x)).
// expect silu: proved
// expect silu ptx: proved
// expect silu_sign: refuted value
// expect silu_no_guard: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (fault != 2 && i >= n) return;
  float v = x[i];
  y[i] = v / (1.0f + expf(fault == 1 ? v : -v));
}
__global__ void silu(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void silu_sign(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void silu_no_guard(const float* x, float* y, int n) { body<2>(x, y, n); }
