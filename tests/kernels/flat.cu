// A tiled product of square matrices whose buffers are declared flat.
extern "C" __global__ void tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float sa[16][16];
  __shared__ float sb[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (int t = 0; t < n; t += 16) {
    sa[ty][tx] = a[row * n + t + tx];
    sb[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) acc = __fmaf_rn(sa[ty][k], sb[k][tx], acc);
    __syncthreads();
  }
  c[row * n + col] = acc;
}

extern "C" __global__ void tiled_without_second_barrier(const float* a, const float* b, float* c, int n) {
  __shared__ float sa[16][16];
  __shared__ float sb[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (int t = 0; t < n; t += 16) {
    sa[ty][tx] = a[row * n + t + tx];
    sb[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) acc = __fmaf_rn(sa[ty][k], sb[k][tx], acc);
  }
  c[row * n + col] = acc;
}

extern "C" __global__ void tiled_one_row_too_many(const float* a, const float* b, float* c, int n) {
  __shared__ float sa[16][16];
  __shared__ float sb[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (int t = 0; t <= n; t += 16) {
    sa[ty][tx] = a[row * n + t + tx];
    sb[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) acc = __fmaf_rn(sa[ty][k], sb[k][tx], acc);
    __syncthreads();
  }
  c[row * n + col] = acc;
}
