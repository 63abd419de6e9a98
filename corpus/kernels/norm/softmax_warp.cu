// Softmax, a warp a row, butterflies for maximum and sum.
// expect softmax_warp: proved
// expect softmax_warp ptx: proved
// expect softmax_warp_lost_level: refuted value
// expect softmax_warp_scaled: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  int lane = threadIdx.x;
  size_t row = (size_t)blockIdx.x * n;
  float m = -INFINITY;
  for (int i = lane; i < n; i += 32) m = fmaxf(m, x[row + i]);
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  float s = 0.0f;
  for (int i = lane; i < n; i += 32) s += expf(x[row + i] - m);
#pragma unroll
  for (int o = 16; o > (fault == 1 ? 1 : 0); o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  for (int i = lane; i < n; i += 32) y[row + i] = expf(x[row + i] - (fault == 2 ? 0.0f : m)) / s;
}
__global__ void softmax_warp(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void softmax_warp_lost_level(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void softmax_warp_scaled(const float* x, float* y, int n) { body<2>(x, y, n); }
