// The greatest element of a row, a warp a row.
// expect row_max_warp: proved
// expect row_max_warp ptx: proved
// expect row_max_warp_start: refuted value
// expect row_max_warp_level: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  int lane = threadIdx.x, row = blockIdx.x;
  float m = fault == 1 ? 0.0f : -INFINITY;
  for (int i = lane; i < n; i += 32) m = fmaxf(m, x[(size_t)row * n + i]);
#pragma unroll
  for (int o = fault == 2 ? 8 : 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  if (lane == 0) y[row] = m;
}
__global__ void row_max_warp(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void row_max_warp_start(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void row_max_warp_level(const float* x, float* y, int n) { body<2>(x, y, n); }
