// expect extremum_start: proved
// expect extremum_start_half: open value
// expect extremum_start_inside: open value
// expect extremum_start_least: refuted value

// -FLT_MAX is below every element; what starts a maximum is not dropped where it may be the greatest: the least
// of another format, a start in one lane's sum alone, and a minimum's start.
#include <cfloat>
__device__ float start_of(int fault) {
  return fault == 1 ? -65504.0f : fault == 3 ? FLT_MAX : -FLT_MAX;
}
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  const float* row = x + (size_t)blockIdx.x * n;
  float m = start_of(fault);
  for (int i = threadIdx.x; i < n; i += 32) m = fmaxf(m, fault == 2 ? row[i] + row[i] : row[i]);
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  if (threadIdx.x == 0) y[blockIdx.x] = fault == 2 ? m * 0.5f : m;
}
__global__ void extremum_start(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void extremum_start_half(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void extremum_start_inside(const float* x, float* y, int n) { body<2>(x, y, n); }
__global__ void extremum_start_least(const float* x, float* y, int n) { body<3>(x, y, n); }
