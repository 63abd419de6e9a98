// Transpose through a padded tile in shared memory.
// expect transpose_padded: proved
// expect transpose_padded ptx: proved
// expect transpose_no_barrier: refuted race
// expect transpose_swapped: refuted value
#define TRANSPOSE(BARRIER, READ)                                                                     \
  __shared__ float tile[32][33];                                                                     \
  unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;    \
  if (x < N && y < M) tile[ty][tx] = in[(size_t)y * N + x];                                          \
  BARRIER;                                                                                           \
  unsigned u = blockIdx.y * 32 + tx, v = blockIdx.x * 32 + ty;                                       \
  if (u < M && v < N) out[(size_t)v * M + u] = READ;
__global__ void transpose_padded(const float* in, float* out, unsigned M, unsigned N) {
  TRANSPOSE(__syncthreads(), tile[tx][ty])
}
__global__ void transpose_no_barrier(const float* in, float* out, unsigned M, unsigned N) {
  TRANSPOSE((void)0, tile[tx][ty])
}
__global__ void transpose_swapped(const float* in, float* out, unsigned M, unsigned N) {
  TRANSPOSE(__syncthreads(), tile[ty][tx])
}
