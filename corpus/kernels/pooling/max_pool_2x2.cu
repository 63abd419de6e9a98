// The greatest of each square of four.
// expect max_pool_2x2: proved
// expect max_pool_2x2 ptx: proved
// expect max_pool_2x2_three: refuted value
// expect max_pool_2x2_row: refuted value
template <int fault>
__device__ void body(const float* x, float* y, unsigned H, unsigned W) {
  unsigned j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 4 + threadIdx.y, c = blockIdx.z;
  if (i >= H || j >= W) return;
  const float* in = x + ((size_t)c * (2 * H) + 2 * i) * (2 * W) + 2 * j;
  float m = fmaxf(in[0], in[1]);
  m = fmaxf(m, in[fault == 2 ? W : 2 * W]);
  if (fault != 1) m = fmaxf(m, in[2 * W + 1]);
  y[((size_t)c * H + i) * W + j] = m;
}
__global__ void max_pool_2x2(const float* x, float* y, unsigned H, unsigned W) { body<0>(x, y, H, W); }
__global__ void max_pool_2x2_three(const float* x, float* y, unsigned H, unsigned W) { body<1>(x, y, H, W); }
__global__ void max_pool_2x2_row(const float* x, float* y, unsigned H, unsigned W) { body<2>(x, y, H, W); }
