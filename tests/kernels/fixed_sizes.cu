// Specifications that fix sizes far beyond what is executed as a whole.
__global__ void affine(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2.0f + 1.0f;
}
__global__ void affine_sign(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2.0f - 1.0f;
}
__global__ void affine_guard(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = x[i] * 2.0f + 1.0f;
}
__global__ void affine_last(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) y[i] = x[i] * 2.0f + 1.0f;
}

// 4096 x 4096: only a part of the grid is ever executed.
__global__ void scale_rows(const float* x, const float* s, float* y) {
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  y[row * 4096 + column] = x[row * 4096 + column] * s[row];
}
__global__ void scale_rows_by_columns(const float* x, const float* s, float* y) {
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  y[row * 4096 + column] = x[row * 4096 + column] * s[column];
}
__global__ void scale_rows_pitch(const float* x, const float* s, float* y) {
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  y[row * 4095 + column] = x[row * 4096 + column] * s[row];
}

// What all blocks gather is not there after a part of them: no refutation of the right kernel.
__global__ void count_positive(const int* x, int* total) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (x[i] > 0) atomicAdd(total, 1);
}
