// Kernels with shared memory and barriers.
extern "C" __global__ void matmul_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                        unsigned m, unsigned n, unsigned k) {
  __shared__ float ta[16][16], tb[16][16];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const size_t row = (size_t)blockIdx.y * 16u + y, col = (size_t)blockIdx.x * 16u + x;
  float s = 0.0f;
#pragma unroll 1
  for (unsigned t = 0; t < k / 16u; ++t) {
    ta[y][x] = a[row * k + t * 16u + x];
    tb[y][x] = b[((size_t)t * 16u + y) * n + col];
    __syncthreads();
#pragma unroll
    for (unsigned p = 0; p < 16u; ++p) s = __fmaf_rn(ta[y][p], tb[p][x], s);
    __syncthreads();
  }
  c[row * n + col] = s;
}
extern "C" __global__ void matmul_guarded(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                          unsigned m, unsigned n, unsigned k) {
  __shared__ float ta[16][16], tb[16][16];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const unsigned row = blockIdx.y * 16u + y, col = blockIdx.x * 16u + x;
  float s = 0.0f;
#pragma unroll 1
  for (unsigned t = 0; t < (k + 15u) / 16u; ++t) {
    ta[y][x] = row < m && t * 16u + x < k ? a[(size_t)row * k + (t * 16u + x)] : 0.0f;
    tb[y][x] = col < n && t * 16u + y < k ? b[(size_t)(t * 16u + y) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (unsigned p = 0; p < 16u; ++p) s = __fmaf_rn(ta[y][p], tb[p][x], s);
    __syncthreads();
  }
  if (row < m && col < n) c[(size_t)row * n + col] = s;
}
extern "C" __global__ void transpose_tiled(const float* __restrict__ x, float* __restrict__ y, unsigned rows, unsigned cols) {
  __shared__ float tile[32][33];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
  for (unsigned j = 0; j < 32u; j += 8u) {
    const unsigned r = blockIdx.y * 32u + ty + j, c = blockIdx.x * 32u + tx;
    if (r < rows && c < cols) tile[ty + j][tx] = x[(size_t)r * cols + c];
  }
  __syncthreads();
#pragma unroll
  for (unsigned j = 0; j < 32u; j += 8u) {
    const unsigned r = blockIdx.x * 32u + ty + j, c = blockIdx.y * 32u + tx;
    if (r < cols && c < rows) y[(size_t)r * rows + c] = tile[tx][ty + j];
  }
}
