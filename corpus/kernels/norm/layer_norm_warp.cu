// Layer normalisation, a warp a row.
// expect layer_norm_warp: proved
// expect layer_norm_warp ptx: proved
// expect layer_norm_warp_epsilon: refuted value
// expect layer_norm_warp_epsilon ptx: refuted value
// expect layer_norm_warp_mean: refuted value
// expect layer_norm_warp_mean ptx: refuted value
template <int fault>
__device__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
template <int fault>
__device__ void body(const float* x, const float* g, float* y, int n) {
  int lane = threadIdx.x;
  size_t row = (size_t)blockIdx.x * n;
  float s = 0.0f;
  for (int i = lane; i < n; i += 32) s += x[row + i];
  float mean = (fault == 2 ? s : warp_sum<fault>(s)) / n;
  float q = 0.0f;
  for (int i = lane; i < n; i += 32) {
    float d = x[row + i] - mean;
    q += d * d;
  }
  float scale = rsqrtf(warp_sum<fault>(q) / n + (fault == 1 ? 0.25f : 0.125f));
  for (int i = lane; i < n; i += 32) y[row + i] = (x[row + i] - mean) * scale * g[i];
}
__global__ void layer_norm_warp(const float* x, const float* g, float* y, int n) { body<0>(x, g, y, n); }
__global__ void layer_norm_warp_epsilon(const float* x, const float* g, float* y, int n) { body<1>(x, g, y, n); }
__global__ void layer_norm_warp_mean(const float* x, const float* g, float* y, int n) { body<2>(x, g, y, n); }
