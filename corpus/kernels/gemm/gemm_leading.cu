// C = alpha A B + beta C with leading dimensions, tiles of 16, guards everywhere.
// expect gemm_leading: proved
// expect gemm_leading ptx: proved
// expect gemm_leading_dense: refuted value
// expect gemm_leading_other: refuted bounds
// expect gemm_leading_tail: refuted value
template <int fault>
__device__ void body(int M, int N, int K, float alpha, const float* A, int lda, const float* B, int ldb, float beta,
                     float* C, int ldc) {
  __shared__ float a[16][16], b[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
  int stride = fault == 1 ? K : fault == 2 ? ldb : lda;
  float s = 0.0f;
  for (int k = 0; k < (fault == 3 ? K / 16 * 16 : K); k += 16) {
    a[ty][tx] = r < M && k + tx < K ? A[r * stride + k + tx] : 0.0f;
    b[ty][tx] = c < N && k + ty < K ? B[(k + ty) * ldb + c] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) s += a[ty][i] * b[i][tx];
    __syncthreads();
  }
  if (r < M && c < N) C[r * ldc + c] = alpha * s + beta * C[r * ldc + c];
}
#define ENTRY(NAME, FAULT)                                                                                          \
  __global__ void NAME(int M, int N, int K, float alpha, const float* A, int lda, const float* B, int ldb, float beta, \
                       float* C, int ldc) {                                                                         \
    body<FAULT>(M, N, K, alpha, A, lda, B, ldb, beta, C, ldc);                                                      \
  }
ENTRY(gemm_leading, 0)
ENTRY(gemm_leading_dense, 1)
ENTRY(gemm_leading_other, 2)
ENTRY(gemm_leading_tail, 3)
