// Each channel with its own 3x3 filter.
// expect depthwise_3x3: proved
// expect depthwise_3x3 ptx: proved
// expect depthwise_3x3_filter: refuted value
// expect depthwise_3x3_border: refuted bounds
template <int fault>
__device__ void body(const float* x, const float* w, float* y, int H, int W) {
  int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 4 + threadIdx.y, c = blockIdx.z;
  if (i >= H - 2 || (fault == 2 ? j > W - 2 : j >= W - 2)) return;
  float acc = 0.0f;
#pragma unroll 1
  for (int r = 0; r < 3; ++r)
#pragma unroll 1
    for (int s = 0; s < 3; ++s) acc += x[((size_t)c * H + i + r) * W + j + s] * w[(fault == 1 ? 0 : c * 9) + r * 3 + s];
  y[((size_t)c * (H - 2) + i) * (W - 2) + j] = acc;
}
__global__ void depthwise_3x3(const float* x, const float* w, float* y, int H, int W) { body<0>(x, w, y, H, W); }
__global__ void depthwise_3x3_filter(const float* x, const float* w, float* y, int H, int W) { body<1>(x, w, y, H, W); }
__global__ void depthwise_3x3_border(const float* x, const float* w, float* y, int H, int W) { body<2>(x, w, y, H, W); }
