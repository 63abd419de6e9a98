// Greatest element of each row by a warp, from the least finite float. The least positive float, under a name
// that sounds alike, is greater than every negative element.
// expect row_max_finite: proved
// expect row_max_finite ptx: proved
// expect row_max_finite_positive: refuted value
// expect row_max_finite_half: refuted value
#include <cfloat>
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  const float* row = x + (size_t)blockIdx.x * n;
  float m = fault == 1 ? FLT_MIN : fault == 2 ? -1.0f : -FLT_MAX;
  for (int i = threadIdx.x; i < n; i += 32) m = fmaxf(m, row[i]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  if (threadIdx.x == 0) y[blockIdx.x] = m;
}
__global__ void row_max_finite(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void row_max_finite_positive(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void row_max_finite_half(const float* x, float* y, int n) { body<2>(x, y, n); }
