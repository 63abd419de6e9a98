// Results of 4 x 4 a thread, tiles 64 x 8 and 8 x 64.
// expect sgemm_register_2d: proved
// expect sgemm_register_2d ptx: proved
// expect sgemm_register_2d_outer: refuted value
// expect sgemm_register_2d_barrier: refuted race
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned N, unsigned K) {
  __shared__ float a[64][8], b[8][64];
  unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  unsigned row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (unsigned k0 = 0; k0 < K; k0 += 8) {
#pragma unroll
    for (unsigned j = 0; j < 2; ++j) {
      unsigned e = t + j * 256;
      a[e / 8][e % 8] = A[(size_t)(row0 + e / 8) * K + k0 + e % 8];
      b[e / 64][e % 64] = B[(size_t)(k0 + e / 64) * N + col0 + e % 64];
    }
    if (fault != 2) __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
      float u[4], v[4];
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        u[i] = a[ty * 4 + i][k];
        v[i] = b[k][tx * 4 + i];
      }
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) acc[i][j] += (fault == 1 ? u[j] : u[i]) * v[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) C[(size_t)(row0 + ty * 4 + i) * N + col0 + tx * 4 + j] = acc[i][j];
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned N, unsigned K) { body<FAULT>(A, B, C, N, K); }
ENTRY(sgemm_register_2d, 0)
ENTRY(sgemm_register_2d_outer, 1)
ENTRY(sgemm_register_2d_barrier, 2)
