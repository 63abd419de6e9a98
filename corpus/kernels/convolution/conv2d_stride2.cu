// Convolution 2x2 of stride 2: windows side by side.
// expect conv2d_stride2: proved
// expect conv2d_stride2 ptx: proved
// expect conv2d_stride2_one: refuted value
// expect conv2d_stride2_filter: refuted value
template <int fault>
__device__ void body(const float* x, const float* w, float* y, unsigned C, unsigned H, unsigned W) {
  unsigned j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 4 + threadIdx.y, f = blockIdx.z;
  if (i >= H || j >= W) return;
  float acc = 0.0f;
#pragma unroll 1
  for (unsigned c = 0; c < C; ++c)
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
      acc += x[((size_t)c * (2 * H) + (fault == 1 ? i : 2 * i) + k / 2) * (2 * W) + 2 * j + k % 2] * w[((fault == 2 ? 0 : (size_t)f * C) + c) * 4 + k];
  y[((size_t)f * H + i) * W + j] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* x, const float* w, float* y, unsigned C, unsigned H, unsigned W) { body<FAULT>(x, w, y, C, H, W); }
ENTRY(conv2d_stride2, 0)
ENTRY(conv2d_stride2_one, 1)
ENTRY(conv2d_stride2_filter, 2)
