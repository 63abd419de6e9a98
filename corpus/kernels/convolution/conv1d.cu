// Convolution of a signal with a filter of any length.
// expect conv1d: proved
// expect conv1d ptx: proved
// expect conv1d_reversed: refuted value
// expect conv1d_long: refuted bounds
template <int fault>
__device__ void body(const float* x, const float* w, float* y, int n, int k) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= (fault == 2 ? n - k + 2 : n - k + 1)) return;
  float acc = 0.0f;
  for (int j = 0; j < k; ++j) acc += x[i + j] * w[fault == 1 ? k - 1 - j : j];
  y[i] = acc;
}
__global__ void conv1d(const float* x, const float* w, float* y, int n, int k) { body<0>(x, w, y, n, k); }
__global__ void conv1d_reversed(const float* x, const float* w, float* y, int n, int k) { body<1>(x, w, y, n, k); }
__global__ void conv1d_long(const float* x, const float* w, float* y, int n, int k) { body<2>(x, w, y, n, k); }
