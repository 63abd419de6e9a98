// Convolution 1x1: channels mixed at each pixel.
// expect pointwise: proved
// expect pointwise ptx: proved
// expect pointwise_channels: refuted value
// expect pointwise_bias: refuted value
template <int fault>
__device__ void body(const float* x, const float* w, const float* b, float* y, int C, int HW) {
  int p = blockIdx.x * 128 + threadIdx.x, f = blockIdx.y;
  if (p >= HW) return;
  float acc = fault == 2 ? 0.0f : b[f];
  for (int c = fault == 1 ? 1 : 0; c < C; ++c) acc += w[(size_t)f * C + c] * x[(size_t)c * HW + p];
  y[(size_t)f * HW + p] = acc;
}
__global__ void pointwise(const float* x, const float* w, const float* b, float* y, int C, int HW) { body<0>(x, w, b, y, C, HW); }
__global__ void pointwise_channels(const float* x, const float* w, const float* b, float* y, int C, int HW) { body<1>(x, w, b, y, C, HW); }
__global__ void pointwise_bias(const float* x, const float* w, const float* b, float* y, int C, int HW) { body<2>(x, w, b, y, C, HW); }
