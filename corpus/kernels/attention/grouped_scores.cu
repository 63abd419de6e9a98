// Several heads of the query share one of the keys: head h uses key head h / (heads / kv).
// expect grouped_scores: proved
// expect grouped_scores ptx: proved
// expect grouped_scores_modulo: refuted value
// expect grouped_scores_own: refuted bounds
template <int D>
__device__ float dot(const float* a, const float* b) {
  float s = 0.0f;
#pragma unroll 4
  for (int d = 0; d < D; ++d) s += a[d] * b[d];
  return s;
}
template <int fault>
__device__ void body(const float* q, const float* k, float* s, int heads, int kv, int len) {
  int h = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= len) return;
  int g = fault == 1 ? h % kv : fault == 2 ? h : h / (heads / kv);
  s[(size_t)h * len + j] = dot<64>(q + h * 64, k + ((size_t)g * len + j) * 64);
}
#define ENTRY(NAME, FAULT)                                                                              \
  __global__ void NAME(const float* q, const float* k, float* s, int heads, int kv, int len) { \
    body<FAULT>(q, k, s, heads, kv, len);                                                               \
  }
ENTRY(grouped_scores, 0)
ENTRY(grouped_scores_modulo, 1)
ENTRY(grouped_scores_own, 2)
