// Patches of 3x3 as columns, no padding.
// expect im2col_3x3: proved
// expect im2col_3x3 ptx: proved
// expect im2col_3x3_kernel: refuted value
// expect im2col_3x3_width: refuted value
template <int fault>
__device__ void body(const float* x, float* y, unsigned C, unsigned H, unsigned W) {
  unsigned ow = W - 2, oh = H - 2;
  unsigned j = blockIdx.x * 64 + threadIdx.x, i = blockIdx.y, k = blockIdx.z;
  if (j >= ow) return;
  unsigned c = k / 9, s = k % 3, r = k / 3 % 3;
  if (fault == 1) s = k / 3 % 3, r = k % 3;
  y[((size_t)k * oh + i) * ow + j] = x[((size_t)c * H + i + r) * (fault == 2 ? ow : W) + j + s];
}
__global__ void im2col_3x3(const float* x, float* y, unsigned C, unsigned H, unsigned W) { body<0>(x, y, C, H, W); }
__global__ void im2col_3x3_kernel(const float* x, float* y, unsigned C, unsigned H, unsigned W) { body<1>(x, y, C, H, W); }
__global__ void im2col_3x3_width(const float* x, float* y, unsigned C, unsigned H, unsigned W) { body<2>(x, y, C, H, W); }
