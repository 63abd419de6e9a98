// Tiles of 16 x 16 for any M, N, K: what is outside reads as zero.
// expect sgemm_tile_guarded: proved
// expect sgemm_tile_guarded ptx: proved
// expect sgemm_tile_guarded_load: refuted bounds
// expect sgemm_tile_guarded_last: refuted value
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) {
  __shared__ float a[16][16], b[16][16];
  unsigned tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (unsigned k0 = 0; fault == 2 ? k0 + 16 <= K : k0 < K; k0 += 16) {
    a[ty][tx] = row < M && (fault == 1 || k0 + tx < K) ? A[(size_t)row * K + k0 + tx] : 0.0f;
    b[ty][tx] = k0 + ty < K && col < N ? B[(size_t)(k0 + ty) * N + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) acc += a[ty][k] * b[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[(size_t)row * N + col] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) { body<FAULT>(A, B, C, M, N, K); }
ENTRY(sgemm_tile_guarded, 0)
ENTRY(sgemm_tile_guarded_load, 1)
ENTRY(sgemm_tile_guarded_last, 2)
