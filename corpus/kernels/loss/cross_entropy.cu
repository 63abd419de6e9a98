// The negative logarithm of the softmax at the label, one thread a row.
// expect cross_entropy: proved
// expect cross_entropy ptx: proved
// expect cross_entropy_label: refuted value
// expect cross_entropy_sign: refuted value
template <int fault>
__device__ void body(const float* x, const int* label, float* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  const float* in = x + (size_t)r * n;
  float m = in[0];
#pragma unroll 1
  for (int i = 1; i < n; ++i) m = fmaxf(m, in[i]);
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; ++i) s += expf(in[i] - m);
  float picked = in[fault == 1 ? 0 : label[r]];
  y[r] = fault == 2 ? picked - m - logf(s) : logf(s) + m - picked;
}
__global__ void cross_entropy(const float* x, const int* label, float* y, int rows, int n) { body<0>(x, label, y, rows, n); }
__global__ void cross_entropy_label(const float* x, const int* label, float* y, int rows, int n) { body<1>(x, label, y, rows, n); }
__global__ void cross_entropy_sign(const float* x, const int* label, float* y, int rows, int n) { body<2>(x, label, y, rows, n); }
