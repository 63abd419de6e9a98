// Root mean square normalisation, one warp a row, butterfly shuffles.
// expect rms_norm_warp: proved
// expect rms_norm_warp ptx: proved
// expect rms_norm_lost_level: refuted value
// expect rms_norm_no_epsilon: refuted value
#define RMS(OFFSET, EPSILON)                                                              \
  int lane = threadIdx.x, row = blockIdx.x;                                               \
  float s = 0.0f;                                                                         \
  for (int i = lane; i < n; i += 32) {                                                    \
    float v = x[(size_t)row * n + i];                                                     \
    s += v * v;                                                                           \
  }                                                                                       \
  for (int o = 16; o > OFFSET; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);          \
  float scale = rsqrtf(s / n + EPSILON);                                                  \
  for (int i = lane; i < n; i += 32) y[(size_t)row * n + i] = x[(size_t)row * n + i] * scale * g[i];
__global__ void rms_norm_warp(const float* x, const float* g, float* y, int n) { RMS(0, 0.5f) }
__global__ void rms_norm_lost_level(const float* x, const float* g, float* y, int n) { RMS(1, 0.5f) }
__global__ void rms_norm_no_epsilon(const float* x, const float* g, float* y, int n) { RMS(0, 0.25f) }
