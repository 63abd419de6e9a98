// How many elements of a row are positive.
// expect count_positive: proved
// expect count_positive ptx: proved
// expect count_positive_zero: refuted value
// expect count_positive_short: refuted value
template <int fault>
__device__ void body(const float* x, int* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  int count = 0;
#pragma unroll 1
  for (int i = 0; i < (fault == 2 ? n - 1 : n); ++i)
    if (fault == 1 ? x[(size_t)r * n + i] >= 0.0f : x[(size_t)r * n + i] > 0.0f) ++count;
  y[r] = count;
}
__global__ void count_positive(const float* x, int* y, int rows, int n) { body<0>(x, y, rows, n); }
__global__ void count_positive_zero(const float* x, int* y, int rows, int n) { body<1>(x, y, rows, n); }
__global__ void count_positive_short(const float* x, int* y, int rows, int n) { body<2>(x, y, rows, n); }
