// The product with a bias a column and max(., 0) on the way out.
// expect gemm_bias_relu: proved
// expect gemm_bias_relu ptx: proved
// expect gemm_bias_relu_before: refuted value
// expect gemm_bias_relu_row: refuted value
template <int fault>
__device__ void body(const float* A, const float* B, const float* bias, float* C, unsigned M, unsigned N, unsigned K) {
  unsigned row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  float acc = 0.0f;
  for (unsigned k = 0; k < K; ++k) acc += A[(size_t)row * K + k] * B[(size_t)k * N + col];
  float b = bias[fault == 2 ? N - 1 - col : col];
  C[(size_t)row * N + col] = fault == 1 ? fmaxf(acc, 0.0f) + b : fmaxf(acc + b, 0.0f);
}
#define ENTRY(NAME, FAULT)                                                                                                          \
  __global__ void NAME(const float* A, const float* B, const float* bias, float* C, unsigned M, unsigned N, unsigned K) {           \
    body<FAULT>(A, B, bias, C, M, N, K);                                                                                            \
  }
ENTRY(gemm_bias_relu, 0)
ENTRY(gemm_bias_relu_before, 1)
ENTRY(gemm_bias_relu_row, 2)
