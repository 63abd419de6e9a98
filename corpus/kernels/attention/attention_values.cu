// Weights times values, heads of 64: one thread an element of the output.
// expect attention_values: proved
// expect attention_values ptx: proved
// expect attention_values_head: refuted value
// expect attention_values_length: refuted value
template <int fault>
__device__ void body(const float* w, const float* v, float* o, int m, int n) {
  int d = threadIdx.x, i = blockIdx.x * 2 + threadIdx.y;
  size_t h = blockIdx.y;
  if (i >= m) return;
  float acc = 0.0f;
  for (int j = fault == 2 ? 1 : 0; j < n; ++j) acc += w[(h * m + i) * n + j] * v[((fault == 1 ? 0 : h) * n + j) * 64 + d];
  o[(h * m + i) * 64 + d] = acc;
}
__global__ void attention_values(const float* w, const float* v, float* o, int m, int n) { body<0>(w, v, o, m, n); }
__global__ void attention_values_head(const float* w, const float* v, float* o, int m, int n) { body<1>(w, v, o, m, n); }
__global__ void attention_values_length(const float* w, const float* v, float* o, int m, int n) { body<2>(w, v, o, m, n); }
