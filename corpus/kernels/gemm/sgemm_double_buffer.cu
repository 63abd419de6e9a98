// While one tile is used the next one is loaded; one barrier a step.
// expect sgemm_double_buffer: proved
// expect sgemm_double_buffer ptx: proved
// expect sgemm_double_buffer_same: refuted race
// expect sgemm_double_buffer_last: refuted bounds
template <int fault>
__device__ void body(const float* A, const float* B, float* C, unsigned N, unsigned K) {
  __shared__ float a[2][16][16], b[2][16][16];
  unsigned tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  a[0][ty][tx] = A[(size_t)row * K + tx];
  b[0][ty][tx] = B[(size_t)ty * N + col];
  __syncthreads();
  float acc = 0.0f;
  unsigned tiles = K / 16;
  for (unsigned i = 0; i < tiles; ++i) {
    unsigned now = i % 2, next = fault == 1 ? now : 1 - now;
    if (fault == 2 || i + 1 < tiles) {
      a[next][ty][tx] = A[(size_t)row * K + (i + 1) * 16 + tx];
      b[next][ty][tx] = B[(size_t)((i + 1) * 16 + ty) * N + col];
    }
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) acc += a[now][ty][k] * b[now][k][tx];
    __syncthreads();
  }
  C[(size_t)row * N + col] = acc;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* A, const float* B, float* C, unsigned N, unsigned K) { body<FAULT>(A, B, C, N, K); }
ENTRY(sgemm_double_buffer, 0)
ENTRY(sgemm_double_buffer_same, 1)
ENTRY(sgemm_double_buffer_last, 2)
