// Fifth step: the last warp goes on alone, with warp barriers.
// expect reduce_unrolled_warp: proved
// expect reduce_unrolled_warp ptx: proved
// expect reduce_unrolled_warp_sync: refuted race
// expect reduce_unrolled_warp_level: refuted value
template <int fault>
__device__ void body(const float* x, float* y) {
  __shared__ float s[128];
  unsigned t = threadIdx.x;
  s[t] = x[(size_t)blockIdx.x * 128 + t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    float v = s[t] + s[t + 32];
#pragma unroll
    for (int o = 16; o > (fault == 2 ? 1 : 0); o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
    if (t == 0) y[blockIdx.x] = v;
  }
  if (fault == 1) s[t] = 0.0f;
}
__global__ void reduce_unrolled_warp(const float* x, float* y) { body<0>(x, y); }
__global__ void reduce_unrolled_warp_sync(const float* x, float* y) { body<1>(x, y); }
__global__ void reduce_unrolled_warp_level(const float* x, float* y) { body<2>(x, y); }
