// Softmax over the positions up to the row's own; zeros after it.
// expect causal_mask_softmax: proved
// expect causal_mask_softmax ptx: proved
// expect causal_mask_softmax_future: refuted value
// expect causal_mask_softmax_tail: refuted coverage
template <int fault>
__device__ void body(const float* s, float* p, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  const float* in = s + (size_t)i * n;
  int end = fault == 1 ? n : i + 1;
  float m = in[0];
#pragma unroll 1
  for (int j = 1; j < end; ++j) m = fmaxf(m, in[j]);
  float z = 0.0f;
#pragma unroll 1
  for (int j = 0; j < end; ++j) z += expf(in[j] - m);
#pragma unroll 1
  for (int j = 0; j < (fault == 2 ? i + 1 : n); ++j) p[(size_t)i * n + j] = j < end ? expf(in[j] - m) / z : 0.0f;
}
__global__ void causal_mask_softmax(const float* s, float* p, int n) { body<0>(s, p, n); }
__global__ void causal_mask_softmax_future(const float* s, float* p, int n) { body<1>(s, p, n); }
__global__ void causal_mask_softmax_tail(const float* s, float* p, int n) { body<2>(s, p, n); }
