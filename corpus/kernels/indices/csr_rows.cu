// A sparse matrix in compressed rows times a vector, a thread for each row.
// expect csr_rows: proved
// expect csr_rows ptx: proved
// expect csr_rows_column: refuted value
// expect csr_rows_end: refuted bounds
// expect csr_rows_next: refuted value
template <int fault>
__device__ void body(const int* start, const int* column, const float* value, const float* x, float* y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0.0f;
  int end = start[r + 1];
#pragma unroll 1
  for (int k = start[r]; fault == 2 ? k <= end : k < end; ++k)
    s += value[k] * (fault == 1 ? x[column[start[r]]] : x[column[k]]);
  y[fault == 3 ? rows - 1 - r : r] = s;
}
#define ENTRY(NAME, FAULT)                                                                                       \
  __global__ void NAME(const int* start, const int* column, const float* value, const float* x, float* y, int rows) { \
    body<FAULT>(start, column, value, x, y, rows);                                                               \
  }
ENTRY(csr_rows, 0)
ENTRY(csr_rows_column, 1)
ENTRY(csr_rows_end, 2)
ENTRY(csr_rows_next, 3)
