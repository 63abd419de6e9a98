// Weights of four bits, two a byte, one scale for each 32 of a row; a warp for each row.
// expect nibble_gemv: proved
// expect nibble_gemv ptx: proved
// expect nibble_gemv_group: refuted value
// expect nibble_gemv_zero: refuted value
// expect nibble_gemv_order: refuted value
template <int fault>
__device__ void body(const unsigned char* w, const float* scale, const float* x, float* y, int K) {
  int lane = threadIdx.x, row = blockIdx.x * 4 + threadIdx.y;
  float acc = 0.0f;
  for (int i = lane; i < K / 2; i += 32) {
    unsigned b = w[(size_t)row * (K / 2) + i];
    float s = scale[(size_t)row * (K / 32) + i / (fault == 1 ? 32 : 16)];
    int zero = fault == 2 ? 7 : 8;
    int low = (int)(b & 15) - zero, high = (int)(b >> 4) - zero;
    acc += s * (fault == 3 ? high : low) * x[2 * i] + s * (fault == 3 ? low : high) * x[2 * i + 1];
  }
  for (int o = 16; o > 0; o >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, o);
  if (lane == 0) y[row] = acc;
}
#define ENTRY(NAME, FAULT)                                                                         \
  __global__ void NAME(const unsigned char* w, const float* scale, const float* x, float* y, int K) { \
    body<FAULT>(w, scale, x, y, K);                                                                \
  }
ENTRY(nibble_gemv, 0)
ENTRY(nibble_gemv_group, 1)
ENTRY(nibble_gemv_zero, 2)
ENTRY(nibble_gemv_order, 3)
