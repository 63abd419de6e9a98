// C becomes 2 A B + C / 2.
// expect gemm_accumulate: proved
// expect gemm_accumulate ptx: proved
// expect gemm_accumulate_beta: refuted value
// expect gemm_accumulate_alpha: refuted value
template <int fault>
__device__ void body(const float* A, const float* B, float* C, int M, int N, int K) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  float acc = 0.0f;
  for (int k = 0; k < K; ++k) acc += A[(size_t)row * K + k] * B[(size_t)k * N + col];
  size_t at = (size_t)row * N + col;
  C[at] = fault == 2 ? acc + 0.5f * C[at] : 2.0f * acc + (fault == 1 ? 1.0f : 0.5f) * C[at];
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, int M, int N, int K) { body<FAULT>(A, B, C, M, N, K); }
ENTRY(gemm_accumulate, 0)
ENTRY(gemm_accumulate_beta, 1)
ENTRY(gemm_accumulate_alpha, 2)
