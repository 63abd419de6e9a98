// Gradient descent with momentum and weight decay, over the grid.
// expect sgd_momentum: proved
// expect sgd_momentum ptx: proved
// expect sgd_momentum_old: refuted value
// expect sgd_momentum_decay: refuted value
template <int fault>
__device__ void body(float* p, float* m, const float* g, unsigned n) {
  for (size_t i = (size_t)blockIdx.x * 256 + threadIdx.x; i < n; i += (size_t)gridDim.x * 256) {
    float w = p[i], old = m[i];
    float v = 0.875f * old + g[i] + (fault == 2 ? 0.0f : 0.03125f) * w;
    m[i] = v;
    p[i] = w - 0.125f * (fault == 1 ? old : v);
  }
}
__global__ void sgd_momentum(float* p, float* m, const float* g, unsigned n) { body<0>(p, m, g, n); }
__global__ void sgd_momentum_old(float* p, float* m, const float* g, unsigned n) { body<1>(p, m, g, n); }
__global__ void sgd_momentum_decay(float* p, float* m, const float* g, unsigned n) { body<2>(p, m, g, n); }
