// One step of gradient descent.
// expect sgd: proved
// expect sgd ptx: proved
// expect sgd_ascent: refuted value
// expect sgd_no_guard: refuted bounds
template <int fault>
__device__ void body(float* p, const float* g, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (fault != 2 && i >= n) return;
  p[i] -= (fault == 1 ? -0.0625f : 0.0625f) * g[i];
}
__global__ void sgd(float* p, const float* g, int n) { body<0>(p, g, n); }
__global__ void sgd_ascent(float* p, const float* g, int n) { body<1>(p, g, n); }
__global__ void sgd_no_guard(float* p, const float* g, int n) { body<2>(p, g, n); }
