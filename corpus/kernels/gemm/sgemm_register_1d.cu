// A column of four results a thread; tiles 64 x 8 and 8 x 64... block 64 x 16 of C.
// expect sgemm_register_1d: proved
// expect sgemm_register_1d ptx: proved
// expect sgemm_register_1d_rows: refuted value
// expect sgemm_register_1d_barrier: refuted race
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned N, unsigned K) {
  __shared__ float a[32][8], b[8][32];
  unsigned t = threadIdx.x, tx = t % 32, ty = t / 32;
  unsigned row0 = blockIdx.y * 32, col = blockIdx.x * 32 + tx;
  float acc[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (unsigned k0 = 0; k0 < K; k0 += 8) {
    a[t / 8][t % 8] = A[(size_t)(row0 + t / 8) * K + k0 + t % 8];
    b[ty][tx] = B[(size_t)(k0 + ty) * N + col];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
      float v = b[k][tx];
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) acc[i] += a[ty * 4 + (fault == 1 ? 3 - i : i)][k] * v;
    }
    if (fault != 2) __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) C[(size_t)(row0 + ty * 4 + i) * N + col] = acc[i];
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned N, unsigned K) { body<FAULT>(A, B, C, N, K); }
ENTRY(sgemm_register_1d, 0)
ENTRY(sgemm_register_1d_rows, 1)
ENTRY(sgemm_register_1d_barrier, 2)
