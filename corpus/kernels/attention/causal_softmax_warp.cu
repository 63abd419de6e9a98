// Softmax of the lower triangle of the scores, a warp for each row.
// expect causal_softmax_warp: proved
// expect causal_softmax_warp ptx: proved
// expect causal_softmax_warp_whole: refuted value
// expect causal_softmax_warp_early: refuted value
// expect causal_softmax_warp_level: refuted value
template <int fault>
__device__ void body(const float* s, float* p, int n) {
  int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
  if (row >= n) return;
  const float* r = s + (size_t)row * n;
  float m = -INFINITY;
  for (int j = lane; j <= row; j += 32) m = fmaxf(m, r[j]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  float d = 0.0f;
  for (int j = lane; fault == 1 ? j < n : fault == 2 ? j < row : j <= row; j += 32) d += expf(r[j] - m);
  for (int o = fault == 3 ? 8 : 16; o > 0; o >>= 1) d += __shfl_xor_sync(0xffffffffu, d, o);
  for (int j = lane; j < n; j += 32) p[(size_t)row * n + j] = j <= row ? expf(r[j] - m) / d : 0.0f;
}
__global__ void causal_softmax_warp(const float* s, float* p, int n) { body<0>(s, p, n); }
__global__ void causal_softmax_warp_whole(const float* s, float* p, int n) { body<1>(s, p, n); }
__global__ void causal_softmax_warp_early(const float* s, float* p, int n) { body<2>(s, p, n); }
__global__ void causal_softmax_warp_level(const float* s, float* p, int n) { body<3>(s, p, n); }
