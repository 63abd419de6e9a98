// The Gaussian error linear unit by tanh, four elements a thread.
// expect gelu_tanh: proved
// expect gelu_tanh ptx: proved
// expect gelu_tanh_cube: refuted value
// expect gelu_tanh_tail: refuted bounds
template <int fault>
__device__ void body(const float* x, float* y, unsigned n) {
  unsigned base = (blockIdx.x * 128 + threadIdx.x) * 4;
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) {
    unsigned i = base + j;
    if (fault == 2 ? base < n : i < n) {
      float v = x[i];
      float u = 0.796875f * (v + 0.044921875f * v * v * (fault == 1 ? 1.0f : v));
      y[i] = 0.5f * v * (1.0f + tanhf(u));
    }
  }
}
__global__ void gelu_tanh(const float* x, float* y, unsigned n) { body<0>(x, y, n); }
__global__ void gelu_tanh_cube(const float* x, float* y, unsigned n) { body<1>(x, y, n); }
__global__ void gelu_tanh_tail(const float* x, float* y, unsigned n) { body<2>(x, y, n); }
