// Dot products of rows of bytes in 32 bits.
// expect integer_dot: proved
// expect integer_dot ptx: proved
// expect integer_dot_length: refuted value
// expect integer_dot_sign: refuted value
template <int fault>
__device__ void body(const signed char* a, const signed char* b, int* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  int acc = 0;
#pragma unroll 1
  for (int i = fault == 1 ? 1 : 0; i < n; ++i) acc += a[(size_t)r * n + i] * (fault == 2 ? -b[(size_t)r * n + i] : b[(size_t)r * n + i]);
  y[r] = acc;
}
__global__ void integer_dot(const signed char* a, const signed char* b, int* y, int rows, int n) { body<0>(a, b, y, rows, n); }
__global__ void integer_dot_length(const signed char* a, const signed char* b, int* y, int rows, int n) { body<1>(a, b, y, rows, n); }
__global__ void integer_dot_sign(const signed char* a, const signed char* b, int* y, int rows, int n) { body<2>(a, b, y, rows, n); }
