// Transpose through a padded tile, four rows a thread.
// expect transpose_tile_rows: proved
// expect transpose_tile_rows ptx: proved
// expect transpose_tile_rows_barrier: refuted race
// expect transpose_tile_rows_step: refuted coverage
template <int fault>
__device__ void body(const float* in, float* out, unsigned M, unsigned N) {
  __shared__ float tile[32][33];
  unsigned tx = threadIdx.x, ty = threadIdx.y;
  unsigned x = blockIdx.x * 32 + tx;
#pragma unroll
  for (unsigned r = 0; r < 32; r += 8) {
    unsigned y = blockIdx.y * 32 + ty + r;
    if (x < N && y < M) tile[ty + r][tx] = in[(size_t)y * N + x];
  }
  if (fault != 1) __syncthreads();
  unsigned u = blockIdx.y * 32 + tx;
#pragma unroll
  for (unsigned r = 0; r < (fault == 2 ? 24 : 32); r += 8) {
    unsigned v = blockIdx.x * 32 + ty + r;
    if (u < M && v < N) out[(size_t)v * M + u] = tile[tx][ty + r];
  }
}
__global__ void transpose_tile_rows(const float* in, float* out, unsigned M, unsigned N) { body<0>(in, out, M, N); }
__global__ void transpose_tile_rows_barrier(const float* in, float* out, unsigned M, unsigned N) { body<1>(in, out, M, N); }
__global__ void transpose_tile_rows_step(const float* in, float* out, unsigned M, unsigned N) { body<2>(in, out, M, N); }
