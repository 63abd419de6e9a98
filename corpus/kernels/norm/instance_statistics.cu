// Mean of the squares of each channel of each image, a warp a channel.
// expect instance_statistics: proved
// expect instance_statistics ptx: proved
// expect instance_statistics_channel: refuted race coverage
// expect instance_statistics_count: refuted value
template <int fault>
__device__ void body(const float* x, float* y, unsigned C, unsigned HW) {
  unsigned lane = threadIdx.x, c = blockIdx.x, n = blockIdx.y;
  float s = 0.0f;
  for (unsigned i = lane; i < HW; i += 32) {
    float v = x[((size_t)n * C + c) * HW + i];
    s += v * v;
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  if (lane == 0) y[(size_t)(fault == 1 ? 0 : n) * C + c] = s / (float)(fault == 2 ? C : HW);
}
__global__ void instance_statistics(const float* x, float* y, unsigned C, unsigned HW) { body<0>(x, y, C, HW); }
__global__ void instance_statistics_channel(const float* x, float* y, unsigned C, unsigned HW) { body<1>(x, y, C, HW); }
__global__ void instance_statistics_count(const float* x, float* y, unsigned C, unsigned HW) { body<2>(x, y, C, HW); }
