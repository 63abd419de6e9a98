// An exponential average of the weights.
// expect moving_weights: proved
// expect moving_weights ptx: proved
// expect moving_weights_sum: refuted value
// expect moving_weights_grid: refuted race
template <int fault>
__device__ void body(float* a, const float* p, unsigned n) {
  unsigned i = blockIdx.x * (fault == 2 ? 64 : 128) + threadIdx.x;
  if (i < n) a[i] = 0.96875f * a[i] + (fault == 1 ? 0.3125f : 0.03125f) * p[i];
}
__global__ void moving_weights(float* a, const float* p, unsigned n) { body<0>(a, p, n); }
__global__ void moving_weights_sum(float* a, const float* p, unsigned n) { body<1>(a, p, n); }
__global__ void moving_weights_grid(float* a, const float* p, unsigned n) { body<2>(a, p, n); }
