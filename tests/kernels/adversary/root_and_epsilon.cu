// A constant beside a root and inside it differ where what is under the root is small.
// expect root_and_epsilon: proved
// expect root_and_epsilon ptx: proved
// expect root_and_epsilon_outside: refuted value
// expect root_and_epsilon_outside ptx: refuted value
__global__ void root_and_epsilon(const float* x, float* y) {
  float v = x[blockIdx.x * 32 + threadIdx.x], s = v * v;
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  y[blockIdx.x * 32 + threadIdx.x] = v / sqrtf(s / 32.0f + 1e-5f);
}
__global__ void root_and_epsilon_outside(const float* x, float* y) {
  float v = x[blockIdx.x * 32 + threadIdx.x], s = v * v;
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
  y[blockIdx.x * 32 + threadIdx.x] = v / (sqrtf(s / 32.0f) + 1e-5f);
}
