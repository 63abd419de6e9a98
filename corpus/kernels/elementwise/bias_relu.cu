// A bias for each column, then max(., 0).
// expect bias_relu: proved
// expect bias_relu ptx: proved
// expect bias_relu_row: refuted bounds value
// expect bias_relu_plain: refuted value
template <int fault>
__device__ void body(const float* x, const float* b, float* y, unsigned rows, unsigned cols) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i >= rows * cols) return;
  float v = x[i] + b[fault == 1 ? i / cols : i % cols];
  y[i] = fault == 2 ? v : fmaxf(v, 0.0f);
}
__global__ void bias_relu(const float* x, const float* b, float* y, unsigned rows, unsigned cols) { body<0>(x, b, y, rows, cols); }
__global__ void bias_relu_row(const float* x, const float* b, float* y, unsigned rows, unsigned cols) { body<1>(x, b, y, rows, cols); }
__global__ void bias_relu_plain(const float* x, const float* b, float* y, unsigned rows, unsigned cols) { body<2>(x, b, y, rows, cols); }
