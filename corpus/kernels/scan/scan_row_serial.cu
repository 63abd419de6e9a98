// Running sums of each row, one thread a row.
// expect scan_row_serial: proved
// expect scan_row_serial ptx: proved
// expect scan_row_serial_exclusive: refuted value
// expect scan_row_serial_row: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (fault == 2 ? r > rows : r >= rows) return;
  float a = 0.0f;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    if (fault == 1) y[(size_t)r * n + i] = a;
    a += x[(size_t)r * n + i];
    if (fault != 1) y[(size_t)r * n + i] = a;
  }
}
__global__ void scan_row_serial(const float* x, float* y, int rows, int n) { body<0>(x, y, rows, n); }
__global__ void scan_row_serial_exclusive(const float* x, float* y, int rows, int n) { body<1>(x, y, rows, n); }
__global__ void scan_row_serial_row(const float* x, float* y, int rows, int n) { body<2>(x, y, rows, n); }
