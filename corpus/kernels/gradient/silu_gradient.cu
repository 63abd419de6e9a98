// The derivative of x / (1 + exp(-x)), times the gradient.
// expect silu_gradient: proved
// expect silu_gradient ptx: proved
// expect silu_gradient_partial: refuted value
// expect silu_gradient_sign: refuted value
template <int fault>
__device__ void body(const float* x, const float* dy, float* dx, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float v = x[i], s = 1.0f / (1.0f + expf(fault == 2 ? v : -v));
  dx[i] = dy[i] * (fault == 1 ? s : s * (1.0f + v * (1.0f - s)));
}
__global__ void silu_gradient(const float* x, const float* dy, float* dx, int n) { body<0>(x, dy, dx, n); }
__global__ void silu_gradient_partial(const float* x, const float* dy, float* dx, int n) { body<1>(x, dy, dx, n); }
__global__ void silu_gradient_sign(const float* x, const float* dy, float* dx, int n) { body<2>(x, dy, dx, n); }
