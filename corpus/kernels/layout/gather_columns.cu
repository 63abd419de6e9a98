// Columns picked by an index tensor.
// expect gather_columns: proved
// expect gather_columns ptx: proved
// expect gather_columns_row: refuted bounds
// expect gather_columns_position: refuted value
template <int fault>
__device__ void body(const float* x, const int* id, float* y, int rows, int n, int m) {
  int c = blockIdx.x * 64 + threadIdx.x, r = blockIdx.y;
  if (c >= m) return;
  int from = id[fault == 1 ? r : c];
  y[(size_t)r * m + c] = x[(size_t)r * n + (fault == 2 ? n - 1 - from : from)];
}
__global__ void gather_columns(const float* x, const int* id, float* y, int rows, int n, int m) { body<0>(x, id, y, rows, n, m); }
__global__ void gather_columns_row(const float* x, const int* id, float* y, int rows, int n, int m) { body<1>(x, id, y, rows, n, m); }
__global__ void gather_columns_position(const float* x, const int* id, float* y, int rows, int n, int m) { body<2>(x, id, y, rows, n, m); }
