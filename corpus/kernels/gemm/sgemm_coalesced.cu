// One element a thread, threads of a warp side by side in a row of C, one flat index a block.
// expect sgemm_coalesced: proved
// expect sgemm_coalesced ptx: proved
// expect sgemm_coalesced_swapped: refuted value
// expect sgemm_coalesced_inner: refuted value
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) {
  unsigned row = blockIdx.y * 16 + threadIdx.x / 16, col = blockIdx.x * 16 + threadIdx.x % 16;
  if (row < M && col < N) {
    float acc = 0.0f;
    for (unsigned k = 0; k < K - (fault == 2 ? 1 : 0); ++k) acc += A[(size_t)row * K + k] * B[(size_t)k * N + (fault == 1 ? N - 1 - col : col)];
    C[(size_t)row * N + col] = acc;
  }
}
__global__ void sgemm_coalesced(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) { body<0>(A, B, C, M, N, K); }
__global__ void sgemm_coalesced_swapped(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) { body<1>(A, B, C, M, N, K); }
__global__ void sgemm_coalesced_inner(const float* A, const float* B, float* C, unsigned M, unsigned N, unsigned K) { body<2>(A, B, C, M, N, K); }
