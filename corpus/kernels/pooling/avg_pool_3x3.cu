// Means over windows of 3x3.
// expect avg_pool_3x3: proved
// expect avg_pool_3x3 ptx: proved
// expect avg_pool_3x3_count: refuted value
// expect avg_pool_3x3_window: refuted value
template <int fault>
__device__ void body(const float* x, float* y, unsigned H, unsigned W) {
  unsigned j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 8 + threadIdx.y;
  if (i >= H || j >= W) return;
  float a = 0.0f;
#pragma unroll 1
  for (unsigned r = 0; r < 3; ++r)
#pragma unroll 1
    for (unsigned s = 0; s < (fault == 2 ? 2 : 3); ++s) a += x[(size_t)(i + r) * (W + 2) + j + s];
  y[(size_t)i * W + j] = a / (fault == 1 ? 8.0f : 9.0f);
}
__global__ void avg_pool_3x3(const float* x, float* y, unsigned H, unsigned W) { body<0>(x, y, H, W); }
__global__ void avg_pool_3x3_count(const float* x, float* y, unsigned H, unsigned W) { body<1>(x, y, H, W); }
__global__ void avg_pool_3x3_window(const float* x, float* y, unsigned H, unsigned W) { body<2>(x, y, H, W); }
