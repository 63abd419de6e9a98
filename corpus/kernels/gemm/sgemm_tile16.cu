// Tiles of 16 x 16 in shared memory, sizes that are multiples of 16.
// expect sgemm_tile16: proved
// expect sgemm_tile16 ptx: proved
// expect sgemm_tile16_first_barrier: refuted race
// expect sgemm_tile16_second_barrier: refuted race
// expect sgemm_tile16_transposed: refuted value
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned N, unsigned K) {
  __shared__ float a[16][16], b[16][16];
  unsigned tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float acc = 0.0f;
  for (unsigned k0 = 0; k0 < K; k0 += 16) {
    a[ty][tx] = A[(size_t)row * K + k0 + tx];
    b[ty][tx] = B[(size_t)(k0 + ty) * N + col];
    if (fault != 1) __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) acc += a[ty][k] * (fault == 3 ? b[tx][k] : b[k][tx]);
    if (fault != 2) __syncthreads();
  }
  C[(size_t)row * N + col] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned N, unsigned K) { body<FAULT>(A, B, C, N, K); }
ENTRY(sgemm_tile16, 0)
ENTRY(sgemm_tile16_first_barrier, 1)
ENTRY(sgemm_tile16_second_barrier, 2)
ENTRY(sgemm_tile16_transposed, 3)
