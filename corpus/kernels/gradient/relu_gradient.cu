// The gradient passes where the input was positive.
// expect relu_gradient: proved
// expect relu_gradient ptx: proved
// expect relu_gradient_output: refuted value
// expect relu_gradient_sign: refuted value
template <int fault>
__device__ void body(const float* x, const float* dy, float* dx, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  dx[i] = (fault == 2 ? x[i] < 0.0f : (fault == 1 ? dy[i] : x[i]) > 0.0f) ? dy[i] : 0.0f;
}
__global__ void relu_gradient(const float* x, const float* dy, float* dx, int n) { body<0>(x, dy, dx, n); }
__global__ void relu_gradient_output(const float* x, const float* dy, float* dx, int n) { body<1>(x, dy, dx, n); }
__global__ void relu_gradient_sign(const float* x, const float* dy, float* dx, int n) { body<2>(x, dy, dx, n); }
