// The gradient of a bias: sums of the columns, a warp a column.
// expect bias_gradient: proved
// expect bias_gradient ptx: proved
// expect bias_gradient_rows: refuted value
// expect bias_gradient_levels: refuted value
// expect bias_gradient_levels ptx: refuted value
template <int fault>
__device__ void body(const float* dy, float* db, int rows, int cols) {
  int lane = threadIdx.x, c = blockIdx.x;
  float a = 0.0f;
  for (int r = lane; r < (fault == 1 ? cols : rows); r += 32)
    if (fault != 1 || r < rows) a += dy[(size_t)r * cols + c];
#pragma unroll
  for (int o = 1; o < (fault == 2 ? 16 : 32); o *= 2) a += __shfl_xor_sync(0xffffffffu, a, o);
  if (lane == 0) db[c] = a;
}
__global__ void bias_gradient(const float* dy, float* db, int rows, int cols) { body<0>(dy, db, rows, cols); }
__global__ void bias_gradient_rows(const float* dy, float* db, int rows, int cols) { body<1>(dy, db, rows, cols); }
__global__ void bias_gradient_levels(const float* dy, float* db, int rows, int cols) { body<2>(dy, db, rows, cols); }
