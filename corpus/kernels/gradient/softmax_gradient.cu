// y * (dy - sum(y * dy)) for each row, one thread a row.
// expect softmax_gradient: proved
// expect softmax_gradient ptx: proved
// expect softmax_gradient_sum: refuted value
// expect softmax_gradient_product: refuted value
template <int fault>
__device__ void body(const float* y, const float* dy, float* dx, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  size_t row = (size_t)r * n;
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; ++i) s += fault == 1 ? dy[row + i] : y[row + i] * dy[row + i];
#pragma unroll 1
  for (int i = 0; i < n; ++i) dx[row + i] = (fault == 2 ? 1.0f : y[row + i]) * (dy[row + i] - s);
}
__global__ void softmax_gradient(const float* y, const float* dy, float* dx, int rows, int n) { body<0>(y, dy, dx, rows, n); }
__global__ void softmax_gradient_sum(const float* y, const float* dy, float* dx, int rows, int n) { body<1>(y, dy, dx, rows, n); }
__global__ void softmax_gradient_product(const float* y, const float* dy, float* dx, int rows, int n) { body<2>(y, dy, dx, rows, n); }
