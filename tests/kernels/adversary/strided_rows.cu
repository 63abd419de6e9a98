// A flat index that is taken apart by a symbol.
// expect strided_rows: proved
// expect strided_rows_wrong: refuted value
// expect strided_rows ptx: proved
// expect strided_rows_wrong ptx: refuted value
__global__ void strided_rows(const float* x, float* y, int rows, int cols, int ld) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) y[(i / cols) * ld + i % cols] = x[i];
}
__global__ void strided_rows_wrong(const float* x, float* y, int rows, int cols, int ld) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) y[i] = x[i];
}
