// C = A B, one thread an element, any sizes.
// expect sgemm_naive: proved
// expect sgemm_naive ptx: proved
// expect sgemm_wrong_stride: refuted bounds value
// expect sgemm_no_guard: refuted bounds
__global__ void sgemm_naive(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) {
  unsigned row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row < M && col < N) {
    float acc = 0.0f;
    for (unsigned k = 0; k < K; ++k) acc += A[(size_t)row * K + k] * B[(size_t)k * N + col];
    C[(size_t)row * N + col] = acc;
  }
}
__global__ void sgemm_wrong_stride(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) {
  unsigned row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row < M && col < N) {
    float acc = 0.0f;
    for (unsigned k = 0; k < K; ++k) acc += A[(size_t)row * K + k] * B[(size_t)k * K + col];
    C[(size_t)row * N + col] = acc;
  }
}
__global__ void sgemm_no_guard(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) {
  unsigned row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row < M) {
    float acc = 0.0f;
    for (unsigned k = 0; k < K; ++k) acc += A[(size_t)row * K + k] * B[(size_t)k * N + col];
    C[(size_t)row * N + col] = acc;
  }
}
