// The greatest magnitude of a row may start from 0, which no magnitude is below; the greatest element may not, nor may it
// start from more.
// expect greatest_size: proved
// expect greatest_size ptx: proved
// expect greatest_size_of_signs: refuted value
// expect greatest_size_of_signs ptx: refuted value
// expect greatest_size_from_more: refuted value
// expect greatest_size_from_more ptx: refuted value
#define ENTRY(NAME, START, SIZE)                                                                 \
__global__ void NAME(const float* x, float* y, int rows, int n) {                                \
  int r = blockIdx.x * 64 + threadIdx.x;                                                         \
  if (r >= rows) return;                                                                         \
  float m = START;                                                                               \
  for (int i = 0; i < n; ++i) m = fmaxf(m, SIZE(x[(size_t)r * n + i]));                          \
  y[r] = m;                                                                                      \
}
ENTRY(greatest_size, 0.0f, fabsf)
ENTRY(greatest_size_of_signs, 0.0f, )
ENTRY(greatest_size_from_more, 40.0f, fabsf)
