// Leading dimensions that are wider than the matrices; the rest of C is left alone.
// expect gemm_strided: proved
// expect gemm_strided ptx: proved
// expect gemm_strided_dense: refuted value
// expect gemm_strided_frame: refuted frame
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K, unsigned lda, unsigned ldb, unsigned ldc) {
  unsigned row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || (fault == 2 ? col >= ldc : col >= N)) return;
  float acc = 0.0f;
  if (fault != 2 || col < N)
    for (unsigned k = 0; k < K; ++k) acc += A[(size_t)row * (fault == 1 ? K : lda) + k] * B[(size_t)k * ldb + col];
  C[(size_t)row * ldc + col] = acc;
}
#define ENTRY(NAME, FAULT)                                                                                                                                  \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K, unsigned lda, unsigned ldb, unsigned ldc) {            \
    body<FAULT>(A, B, C, M, N, K, lda, ldb, ldc);                                                                                                           \
  }
ENTRY(gemm_strided, 0)
ENTRY(gemm_strided_dense, 1)
ENTRY(gemm_strided_frame, 2)
