// Softmax in two passes: the running maximum and the sum corrected by it are found together.
// expect softmax_online: proved
// expect softmax_online ptx: proved
// expect softmax_online_uncorrected: refuted value
// expect softmax_online_start: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  const float* in = x + (size_t)r * n;
  float m = in[0], s = fault == 2 ? 0.0f : 1.0f;
#pragma unroll 1
  for (int i = 1; i < n; ++i) {
    float next = fmaxf(m, in[i]);
    s = s * (fault == 1 ? 1.0f : expf(m - next)) + expf(in[i] - next);
    m = next;
  }
#pragma unroll 1
  for (int i = 0; i < n; ++i) y[(size_t)r * n + i] = expf(in[i] - m) / s;
}
__global__ void softmax_online(const float* x, float* y, int rows, int n) { body<0>(x, y, rows, n); }
__global__ void softmax_online_uncorrected(const float* x, float* y, int rows, int n) { body<1>(x, y, rows, n); }
__global__ void softmax_online_start(const float* x, float* y, int rows, int n) { body<2>(x, y, rows, n); }
