// What disappears from a sum over the reals has to have a value: of x - b + b nothing is left where b is finite, and a NaN
// where it is not.
// expect vanishing: proved
// expect vanishing ptx: proved
// expect vanishing_pole: refuted value
// expect vanishing_pole ptx: refuted value
// expect vanishing_root: refuted value
// expect vanishing_root ptx: refuted value
// expect vanishing_infinity: unrun value
// expect vanishing_infinity ptx: unrun value
// expect vanishing_product: refuted value
// expect vanishing_product ptx: refuted value
// expect vanishing_sum: open value
// expect vanishing_sum ptx: refuted value
#define ENTRY(NAME, B, Y)                                           \
__global__ void NAME(const float* x, float* y, int n) {             \
  int i = blockIdx.x * 64 + threadIdx.x;                            \
  if (i >= n) return;                                               \
  float b = B, nothing = 0.0f;                                      \
  for (int k = 77777; k < 77777; ++k) nothing += x[k];              \
  float v = x[i] - b;                                               \
  y[i] = Y;                                                         \
}
ENTRY(vanishing, 1.0f / (float)(n + 1), v + b)
ENTRY(vanishing_pole, 1.0f / (float)(n - 77777), v + b)
ENTRY(vanishing_root, sqrtf((float)(70000 - n)), v + b)
ENTRY(vanishing_infinity, n == 77777 ? __int_as_float(0x7f800000) : 0.0f, v + b)
ENTRY(vanishing_product, 1.0f / (float)(n - 54321), 0.0f * b + x[i])
ENTRY(vanishing_sum, 1.0f / (float)(n - 54321), nothing * b + x[i])
