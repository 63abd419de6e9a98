// Inclusive scan of a block of 64 by Hillis and Steele, two buffers.
// expect scan_block: proved
// expect scan_block ptx: proved
// expect scan_one_buffer: refuted race
// expect scan_exclusive: refuted value
#define SCAN(OUT)                                                       \
  __shared__ unsigned s[2][64];                                         \
  int t = threadIdx.x, from = 0;                                        \
  s[0][t] = x[blockIdx.x * 64 + t];                                     \
  __syncthreads();                                                      \
  _Pragma("unroll") for (int o = 1; o < 64; o *= 2) {                   \
    s[1 - from][t] = t >= o ? s[from][t] + s[from][t - o] : s[from][t]; \
    from = 1 - from;                                                    \
    __syncthreads();                                                    \
  }                                                                     \
  y[blockIdx.x * 64 + t] = OUT;
__global__ void scan_block(const unsigned* x, unsigned* y) { SCAN(s[from][t]) }
__global__ void scan_exclusive(const unsigned* x, unsigned* y) { SCAN(t > 0 ? s[from][t - 1] : 0u) }
__global__ void scan_one_buffer(const unsigned* x, unsigned* y) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 64 + t];
  __syncthreads();
#pragma unroll
  for (int o = 1; o < 64; o *= 2) {
    if (t >= o) s[t] += s[t - o];
    __syncthreads();
  }
  y[blockIdx.x * 64 + t] = s[t];
}
