// Unsigned bytes minus 128, times 1/64.
// expect dequantise_zero_point: proved
// expect dequantise_zero_point ptx: proved
// expect dequantise_zero_point_signed: refuted value
// expect dequantise_zero_point_scale: refuted value
template <int fault>
__device__ void body(const unsigned char* q, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  int v = fault == 1 ? (int)(signed char)q[i] : (int)q[i] - 128;
  y[i] = (float)v * (fault == 2 ? 0.03125f : 0.015625f);
}
__global__ void dequantise_zero_point(const unsigned char* q, float* y, int n) { body<0>(q, y, n); }
__global__ void dequantise_zero_point_signed(const unsigned char* q, float* y, int n) { body<1>(q, y, n); }
__global__ void dequantise_zero_point_scale(const unsigned char* q, float* y, int n) { body<2>(q, y, n); }
