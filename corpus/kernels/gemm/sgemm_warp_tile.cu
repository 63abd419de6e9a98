// Each of four warps owns 16 x 16 of a 32 x 32 tile; a thread owns 4 x 2 of it.
// expect sgemm_warp_tile: proved
// expect sgemm_warp_tile ptx: proved
// expect sgemm_warp_tile_warp: refuted coverage
// expect sgemm_warp_tile_barrier: refuted race
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned N, unsigned K) {
  __shared__ float a[32][8], b[8][32];
  unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
  unsigned wr = warp / 2 * 16, wc = fault == 1 ? 0 : warp % 2 * 16;
  unsigned r = wr + lane / 8 * 4, c = wc + lane % 8 * 2;
  unsigned row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  float acc[4][2] = {};
  for (unsigned k0 = 0; k0 < K; k0 += 8) {
#pragma unroll
    for (unsigned e = t; e < 256; e += 128) {
      a[e / 8][e % 8] = A[(size_t)(row0 + e / 8) * K + k0 + e % 8];
      b[e / 32][e % 32] = B[(size_t)(k0 + e / 32) * N + col0 + e % 32];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 8; ++k)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 2; ++j) acc[i][j] += a[r + i][k] * b[k][c + j];
    if (fault != 2) __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 2; ++j) C[(size_t)(row0 + r + i) * N + col0 + c + j] = acc[i][j];
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned N, unsigned K) { body<FAULT>(A, B, C, N, K); }
ENTRY(sgemm_warp_tile, 0)
ENTRY(sgemm_warp_tile_warp, 1)
ENTRY(sgemm_warp_tile_barrier, 2)
