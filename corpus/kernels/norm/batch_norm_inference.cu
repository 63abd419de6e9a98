// Normalisation by given statistics of each channel.
// expect batch_norm_inference: proved
// expect batch_norm_inference ptx: proved
// expect batch_norm_inference_channel: refuted bounds
// expect batch_norm_inference_root: refuted value
template <int fault>
__device__ void body(const float* x, const float* mean, const float* var, const float* g, const float* b, float* y, unsigned C, unsigned HW) {
  unsigned p = blockIdx.x * 128 + threadIdx.x, c = blockIdx.y, n = blockIdx.z;
  if (p >= HW) return;
  size_t at = ((size_t)n * C + c) * HW + p;
  unsigned s = fault == 1 ? p : c;
  float v = var[s] + 0.0009765625f;
  y[at] = (x[at] - mean[s]) * (fault == 2 ? 1.0f / v : rsqrtf(v)) * g[s] + b[s];
}
#define ENTRY(NAME, FAULT)                                                                                                                                            \
  __global__ void NAME(const float* x, const float* mean, const float* var, const float* g, const float* b, float* y, unsigned C, unsigned HW) {                      \
    body<FAULT>(x, mean, var, g, b, y, C, HW);                                                                                                                        \
  }
ENTRY(batch_norm_inference, 0)
ENTRY(batch_norm_inference_channel, 1)
ENTRY(batch_norm_inference_root, 2)
