// x minus the logarithm of the sum of exponentials, one thread a row.
// expect log_softmax: proved
// expect log_softmax ptx: proved
// expect log_softmax_unshifted: refuted value
// expect log_softmax_rows: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, int rows, int n) {
  int r = blockIdx.x * 32 + threadIdx.x;
  if (fault == 2 ? r > rows : r >= rows) return;
  const float* in = x + (size_t)r * n;
  float m = -INFINITY;
#pragma unroll 1
  for (int i = 0; i < n; ++i) m = fmaxf(m, in[i]);
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; ++i) s += expf(in[i] - m);
  float l = logf(s);
#pragma unroll 1
  for (int i = 0; i < n; ++i) y[(size_t)r * n + i] = in[i] - (fault == 1 ? 0.0f : m) - l;
}
__global__ void log_softmax(const float* x, float* y, int rows, int n) { body<0>(x, y, rows, n); }
__global__ void log_softmax_unshifted(const float* x, float* y, int rows, int n) { body<1>(x, y, rows, n); }
__global__ void log_softmax_rows(const float* x, float* y, int rows, int n) { body<2>(x, y, rows, n); }
