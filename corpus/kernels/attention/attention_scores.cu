// Scaled products of queries and keys, heads of 32.
// expect attention_scores: proved
// expect attention_scores ptx: proved
// expect attention_scores_scale: refuted value
// expect attention_scores_key: refuted bounds
template <int fault>
__device__ void body(const float* q, const float* k, float* s, int m, int n) {
  int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  size_t h = blockIdx.z;
  if (i >= m || (fault == 2 ? j > n : j >= n)) return;
  float acc = 0.0f;
  for (int d = 0; d < 32; ++d) acc += q[(h * m + i) * 32 + d] * k[(h * n + j) * 32 + d];
  s[(h * m + i) * n + j] = acc * (fault == 1 ? 0.125f : 0.1767578125f);
}
__global__ void attention_scores(const float* q, const float* k, float* s, int m, int n) { body<0>(q, k, s, m, n); }
__global__ void attention_scores_scale(const float* q, const float* k, float* s, int m, int n) { body<1>(q, k, s, m, n); }
__global__ void attention_scores_key(const float* q, const float* k, float* s, int m, int n) { body<2>(q, k, s, m, n); }
