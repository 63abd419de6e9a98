// Direct convolution 3x3 with a border of one, guards inside the window.
// expect conv2d_padded: proved
// expect conv2d_padded ptx: proved
// expect conv2d_padded_corner: refuted bounds
// expect conv2d_padded_shift: refuted value
template <int fault>
__device__ void body(const float* x, const float* w, float* y, int C, int H, int W) {
  int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y, f = blockIdx.z;
  if (i >= H || j >= W) return;
  float acc = 0.0f;
#pragma unroll 1
  for (int c = 0; c < C; ++c)
#pragma unroll 1
    for (int r = 0; r < 3; ++r)
#pragma unroll 1
      for (int s = 0; s < 3; ++s) {
        int u = i + r - 1, v = j + s - (fault == 2 ? 0 : 1);
        if (u >= 0 && u < H && v >= 0 && (fault == 1 ? v <= W : v < W))
          acc += x[((size_t)c * H + u) * W + v] * w[((size_t)f * C + c) * 9 + 3 * r + s];
      }
  y[((size_t)f * H + i) * W + j] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* x, const float* w, float* y, int C, int H, int W) { body<FAULT>(x, w, y, C, H, W); }
ENTRY(conv2d_padded, 0)
ENTRY(conv2d_padded_corner, 1)
ENTRY(conv2d_padded_shift, 2)
