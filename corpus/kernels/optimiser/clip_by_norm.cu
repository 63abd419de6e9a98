// Gradients scaled by a factor that another launch left in memory.
// expect clip_by_norm: proved
// expect clip_by_norm ptx: proved
// expect clip_by_norm_slot: refuted bounds
// expect clip_by_norm_divided: refuted value
template <int fault>
__device__ void body(float* g, const float* factor, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float f = factor[fault == 1 ? 1 : 0];
  g[i] = fault == 2 ? g[i] / f : g[i] * f;
}
__global__ void clip_by_norm(float* g, const float* factor, int n) { body<0>(g, factor, n); }
__global__ void clip_by_norm_slot(float* g, const float* factor, int n) { body<1>(g, factor, n); }
__global__ void clip_by_norm_divided(float* g, const float* factor, int n) { body<2>(g, factor, n); }
