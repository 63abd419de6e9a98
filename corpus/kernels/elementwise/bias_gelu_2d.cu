// Bias and activation over a grid of two dimensions.
// expect bias_gelu_2d: proved
// expect bias_gelu_2d ptx: proved
// expect bias_gelu_2d_axis: refuted bounds
// expect bias_gelu_2d_guard: refuted bounds
template <int fault>
__device__ void body(const float* x, const float* b, float* y, int rows, int cols) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r >= rows || (fault != 2 && c >= cols)) return;
  float v = x[(size_t)r * cols + c] + b[fault == 1 ? r : c];
  y[(size_t)r * cols + c] = 0.5f * v * (1.0f + tanhf(v));
}
__global__ void bias_gelu_2d(const float* x, const float* b, float* y, int rows, int cols) { body<0>(x, b, y, rows, cols); }
__global__ void bias_gelu_2d_axis(const float* x, const float* b, float* y, int rows, int cols) { body<1>(x, b, y, rows, cols); }
__global__ void bias_gelu_2d_guard(const float* x, const float* b, float* y, int rows, int cols) { body<2>(x, b, y, rows, cols); }
