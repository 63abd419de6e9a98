// Sum of a row: shuffles inside warps, one slot a warp, shuffles in warp 0.
// expect reduce_warp_shuffle: proved
// expect reduce_warp_shuffle ptx: proved
// expect reduce_short_offset: refuted value
// expect reduce_missing_barrier: refuted race
#define BODY(FIRST, BARRIER)                                                          \
  __shared__ float part[8];                                                           \
  int t = threadIdx.x, lane = t & 31, w = t >> 5;                                     \
  float a = 0.0f;                                                                     \
  for (int i = t; i < n; i += 256) a += x[(size_t)blockIdx.x * n + i];                \
  for (int o = FIRST; o > 0; o >>= 1) a += __shfl_down_sync(0xffffffffu, a, o);       \
  if (lane == 0) part[w] = a;                                                         \
  BARRIER;                                                                            \
  if (t == 0) {                                                                       \
    float r = 0.0f;                                                                   \
    for (int k = 0; k < 8; ++k) r += part[k];                                         \
    y[blockIdx.x] = r;                                                                \
  }
__global__ void reduce_warp_shuffle(const float* x, float* y, int n) { BODY(16, __syncthreads()) }
__global__ void reduce_short_offset(const float* x, float* y, int n) { BODY(8, __syncthreads()) }
__global__ void reduce_missing_barrier(const float* x, float* y, int n) { BODY(16, (void)0) }
