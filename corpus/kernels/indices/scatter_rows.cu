// Rows written to places of a permutation that is given with its inverse.
// expect scatter_rows: proved
// expect scatter_rows ptx: proved
// expect scatter_rows_inverse: refuted value
// expect scatter_rows_guard: refuted bounds
template <int fault>
__device__ void body(const float* x, const int* from, float* y, int rows, int cols) {
  int c = blockIdx.x * 64 + threadIdx.x, r = blockIdx.y;
  if (fault == 2 ? c > cols : c >= cols) return;
  y[(size_t)r * cols + c] = x[(size_t)from[fault == 1 ? rows - 1 - r : r] * cols + c];
}
__global__ void scatter_rows(const float* x, const int* from, float* y, int rows, int cols) { body<0>(x, from, y, rows, cols); }
__global__ void scatter_rows_inverse(const float* x, const int* from, float* y, int rows, int cols) { body<1>(x, from, y, rows, cols); }
__global__ void scatter_rows_guard(const float* x, const int* from, float* y, int rows, int cols) { body<2>(x, from, y, rows, cols); }
