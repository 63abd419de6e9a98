// A product for each matrix of a batch, the batch in z.
// expect gemm_batched: proved
// expect gemm_batched ptx: proved
// expect gemm_batched_stride: refuted value
// expect gemm_batched_output: refuted race
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) {
  unsigned row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 32 + threadIdx.x;
  if (row >= M || col >= N) return;
  const float* a = A + (size_t)blockIdx.z * M * K;
  const float* b = B + (fault == 1 ? 0 : (size_t)blockIdx.z * K * N);
  float acc = 0.0f;
  for (unsigned k = 0; k < K; ++k) acc += a[(size_t)row * K + k] * b[(size_t)k * N + col];
  C[(fault == 2 ? 0 : (size_t)blockIdx.z * M * N) + (size_t)row * N + col] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) { body<FAULT>(A, B, C, M, N, K); }
ENTRY(gemm_batched, 0)
ENTRY(gemm_batched_stride, 1)
ENTRY(gemm_batched_output, 2)
