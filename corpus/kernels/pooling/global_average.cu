// The mean of each channel, a block a channel.
// expect global_average: proved
// expect global_average ptx: proved
// expect global_average_stride: refuted value
// expect global_average_slots: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, unsigned HW) {
  __shared__ float s[128];
  unsigned t = threadIdx.x, c = blockIdx.x;
  float a = 0.0f;
  for (unsigned i = t; i < HW; i += fault == 1 ? 129 : 128) a += x[(size_t)c * HW + i];
  s[fault == 2 ? t + 1 : t] = a;
  __syncthreads();
#pragma unroll
  for (unsigned o = 64; o > 0; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) y[c] = s[0] / (float)HW;
}
__global__ void global_average(const float* x, float* y, unsigned HW) { body<0>(x, y, HW); }
__global__ void global_average_stride(const float* x, float* y, unsigned HW) { body<1>(x, y, HW); }
__global__ void global_average_slots(const float* x, float* y, unsigned HW) { body<2>(x, y, HW); }
