// One query a thread and one output element: scores are computed three times over.
// expect attention_row_naive: proved
// expect attention_row_naive ptx: proved
// expect attention_row_naive_max: refuted value
// expect attention_row_naive_value: refuted value
template <int fault>
__device__ float score(const float* q, const float* k) {
  float s = 0.0f;
#pragma unroll
  for (int d = 0; d < 4; ++d) s += q[d] * k[d];
  return s;
}
template <int fault>
__device__ void body(const float* q, const float* k, const float* v, float* o, int m, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= m) return;
  const float* mine = q + (size_t)i * 4;
  float top = -INFINITY;
#pragma unroll 1
  for (int j = 0; j < n; ++j) top = fmaxf(top, score<fault>(mine, k + (size_t)j * 4));
  float z = 0.0f, a = 0.0f;
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    float w = expf(score<fault>(mine, k + (size_t)j * 4) - (fault == 1 && j > 0 ? 0.0f : top));
    z += w;
    a += w * v[fault == 2 ? n - 1 - j : j];
  }
  o[i] = a / z;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* q, const float* k, const float* v, float* o, int m, int n) { body<FAULT>(q, k, v, o, m, n); }
ENTRY(attention_row_naive, 0)
ENTRY(attention_row_naive_max, 1)
ENTRY(attention_row_naive_value, 2)
