// Direct convolution 3x3 without padding, one output element a thread.
// expect conv2d_valid: proved
// expect conv2d_valid ptx: proved
// expect conv2d_valid_flipped: refuted value
// expect conv2d_valid_width: refuted value
template <int fault>
__device__ void body(const float* x, const float* w, float* y, unsigned C, unsigned H, unsigned W) {
  unsigned ow = W - 2, oh = H - 2;
  unsigned j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y, f = blockIdx.z;
  if (i >= oh || j >= ow) return;
  float acc = 0.0f;
#pragma unroll 1
  for (unsigned c = 0; c < C; ++c)
#pragma unroll
    for (unsigned r = 0; r < 3; ++r)
#pragma unroll
      for (unsigned s = 0; s < 3; ++s)
        acc += x[((size_t)c * H + i + r) * (fault == 2 ? ow : W) + j + s] * w[((size_t)f * C + c) * 9 + (fault == 1 ? 8 - 3 * r - s : 3 * r + s)];
  y[((size_t)f * oh + i) * ow + j] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* x, const float* w, float* y, unsigned C, unsigned H, unsigned W) { body<FAULT>(x, w, y, C, H, W); }
ENTRY(conv2d_valid, 0)
ENTRY(conv2d_valid_flipped, 1)
ENTRY(conv2d_valid_width, 2)
