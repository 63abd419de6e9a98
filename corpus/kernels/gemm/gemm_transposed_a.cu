// C = A^T B.
// expect gemm_transposed_a: proved
// expect gemm_transposed_a ptx: proved
// expect gemm_transposed_a_steps: refuted value
// expect gemm_transposed_a_start: refuted value
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) {
  unsigned row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  float acc = fault == 2 ? 1.0f : 0.0f;
#pragma unroll 1
  for (unsigned k = 0; k < K; k += fault == 1 ? 2 : 1) acc += A[(size_t)k * M + row] * B[(size_t)k * N + col];
  C[(size_t)row * N + col] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) { body<FAULT>(A, B, C, M, N, K); }
ENTRY(gemm_transposed_a, 0)
ENTRY(gemm_transposed_a_steps, 1)
ENTRY(gemm_transposed_a_start, 2)
