// One matrix into two.
// expect split_columns: proved
// expect split_columns ptx: proved
// expect split_columns_offset: refuted value
// expect split_columns_lost: refuted coverage
template <int fault>
__device__ void body(const float* x, float* a, float* b, int rows, int p, int q) {
  int c = blockIdx.x * 64 + threadIdx.x, r = blockIdx.y;
  if (c >= p + q) return;
  float v = x[(size_t)r * (p + q) + (fault == 1 ? p + q - 1 - c : c)];
  if (c < p)
    a[(size_t)r * p + c] = v;
  else if (fault != 2 || c > p)
    b[(size_t)r * q + (c - p)] = v;
}
__global__ void split_columns(const float* x, float* a, float* b, int rows, int p, int q) { body<0>(x, a, b, rows, p, q); }
__global__ void split_columns_offset(const float* x, float* a, float* b, int rows, int p, int q) { body<1>(x, a, b, rows, p, q); }
__global__ void split_columns_lost(const float* x, float* a, float* b, int rows, int p, int q) { body<2>(x, a, b, rows, p, q); }
