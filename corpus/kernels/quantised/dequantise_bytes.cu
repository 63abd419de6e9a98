// Signed bytes with a scale a row.
// expect dequantise_bytes: proved
// expect dequantise_bytes ptx: proved
// expect dequantise_bytes_unsigned: refuted value
// expect dequantise_bytes_row: refuted value
template <int fault>
__device__ void body(const signed char* q, const float* scale, float* y, int rows, int cols) {
  int c = blockIdx.x * 128 + threadIdx.x, r = blockIdx.y;
  if (c >= cols) return;
  int v = q[(size_t)r * cols + c];
  if (fault == 1) v &= 255;
  y[(size_t)r * cols + c] = (float)v * scale[fault == 2 ? 0 : r];
}
__global__ void dequantise_bytes(const signed char* q, const float* scale, float* y, int rows, int cols) { body<0>(q, scale, y, rows, cols); }
__global__ void dequantise_bytes_unsigned(const signed char* q, const float* scale, float* y, int rows, int cols) { body<1>(q, scale, y, rows, cols); }
__global__ void dequantise_bytes_row(const signed char* q, const float* scale, float* y, int rows, int cols) { body<2>(q, scale, y, rows, cols); }
