// Two tiles are on their way while one is used: three slots that go round, one barrier a step.
// expect sgemm_three_slots: proved
// expect sgemm_three_slots_two: refuted init
// expect sgemm_three_slots_first: refuted init
// expect sgemm_three_slots_across: refuted value
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned N, unsigned K) {
  __shared__ float a[3][8][8], b[3][8][8];
  unsigned tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx;
  unsigned tiles = K / 8;
  for (unsigned s = 0; s < (fault == 2 ? 1 : 2); ++s)
    if (s < tiles) {
      a[s][ty][tx] = A[(size_t)row * K + s * 8 + tx];
      b[s][ty][tx] = B[(size_t)(s * 8 + ty) * N + col];
    }
  float acc = 0.0f;
  for (unsigned i = 0; i < tiles; ++i) {
    __syncthreads();
    unsigned now = i % 3, next = fault == 1 ? (i + 1) % 3 : (i + 2) % 3, tile = i + 2;
    if (i + 2 < tiles) {
      a[next][ty][tx] = A[(size_t)row * K + tile * 8 + tx];
      b[next][ty][tx] = B[(size_t)(tile * 8 + ty) * N + col];
    }
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) acc += a[now][ty][k] * (fault == 3 ? b[now][tx][k] : b[now][k][tx]);
  }
  C[(size_t)row * N + col] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned N, unsigned K) { body<FAULT>(A, B, C, N, K); }
ENTRY(sgemm_three_slots, 0)
ENTRY(sgemm_three_slots_two, 1)
ENTRY(sgemm_three_slots_first, 2)
ENTRY(sgemm_three_slots_across, 3)
