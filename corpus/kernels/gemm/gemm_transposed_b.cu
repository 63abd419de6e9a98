// C = A B^T: rows against rows.
// expect gemm_transposed_b: proved
// expect gemm_transposed_b ptx: proved
// expect gemm_transposed_b_plain: refuted bounds
// expect gemm_transposed_b_guard: refuted bounds
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) {
  unsigned row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || (fault != 2 && col >= N)) return;
  float acc = 0.0f;
  for (unsigned k = 0; k < K; ++k) acc += A[(size_t)row * K + k] * B[fault == 1 ? (size_t)k * K + col : (size_t)col * K + k];
  C[(size_t)row * N + col] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) { body<FAULT>(A, B, C, M, N, K); }
ENTRY(gemm_transposed_b, 0)
ENTRY(gemm_transposed_b_plain, 1)
ENTRY(gemm_transposed_b_guard, 2)
