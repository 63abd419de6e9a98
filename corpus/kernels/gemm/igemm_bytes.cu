// Signed bytes, sums in 32 bits.
// expect igemm_bytes: proved
// expect igemm_bytes ptx: unrun value
// expect igemm_bytes_unsigned: refuted value
// expect igemm_bytes_narrow: refuted value
template <int fault>
__device__ void body(const signed char* A, const signed char* B, int* C, int M, int N, int K) {
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (row >= M || col >= N) return;
  int acc = 0;
  for (int k = 0; k < K; ++k) {
    int a = A[(size_t)row * K + k], b = B[(size_t)k * N + col];
    if (fault == 1) a &= 255;
    acc += fault == 2 ? (signed char)(a * b) : a * b;
  }
  C[(size_t)row * N + col] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const signed char* A, const signed char* B, int* C, int M, int N, int K) { body<FAULT>(A, B, C, M, N, K); }
ENTRY(igemm_bytes, 0)
ENTRY(igemm_bytes_unsigned, 1)
ENTRY(igemm_bytes_narrow, 2)
