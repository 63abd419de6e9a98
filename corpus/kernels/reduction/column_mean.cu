// Means of the columns, coalesced.
// expect column_mean: proved
// expect column_mean ptx: proved
// expect column_mean_count: refuted value
// expect column_mean_guard: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, int rows, int cols) {
  int c = blockIdx.x * 128 + threadIdx.x;
  if (fault != 2 && c >= cols) return;
  float a = 0.0f;
  for (int r = 0; r < rows; ++r) a += x[(size_t)r * cols + c];
  y[c] = a / (float)(fault == 1 ? cols : rows);
}
__global__ void column_mean(const float* x, float* y, int rows, int cols) { body<0>(x, y, rows, cols); }
__global__ void column_mean_count(const float* x, float* y, int rows, int cols) { body<1>(x, y, rows, cols); }
__global__ void column_mean_guard(const float* x, float* y, int rows, int cols) { body<2>(x, y, rows, cols); }
