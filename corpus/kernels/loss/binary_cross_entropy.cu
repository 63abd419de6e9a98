// The loss of logits in its stable form.
// expect binary_cross_entropy: proved
// expect binary_cross_entropy ptx: proved
// expect binary_cross_entropy_target: refuted value
// expect binary_cross_entropy_no_guard: refuted bounds
template <int fault>
__device__ void body(const float* x, const float* t, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (fault != 2 && i >= n) return;
  float v = x[i];
  y[i] = fmaxf(v, 0.0f) - v * (fault == 1 ? 1.0f - t[i] : t[i]) + logf(1.0f + expf(-fabsf(v)));
}
__global__ void binary_cross_entropy(const float* x, const float* t, float* y, int n) { body<0>(x, t, y, n); }
__global__ void binary_cross_entropy_target(const float* x, const float* t, float* y, int n) { body<1>(x, t, y, n); }
__global__ void binary_cross_entropy_no_guard(const float* x, const float* t, float* y, int n) { body<2>(x, t, y, n); }
