// Atomic additions of what nvcc inlines, an unrolled maximum that starts from an element, and a sum of squares about a
// mean: sums of what does not depend on their variable, and single values beside extrema.
// expect summed_exponentials: proved
// expect summed_exponentials ptx: proved
// expect summed_exponentials_of_more: refuted value
// expect summed_exponentials_of_more ptx: refuted value
// expect summed_exponentials_late: refuted value
// expect summed_exponentials_late ptx: refuted value
#define ENTRY(NAME, FIRST, MORE)                                                        \
__global__ void NAME(const float* x, float* y, float* z, int n) {                               \
  int i = blockIdx.x * 64 + threadIdx.x;                                              \
  if (i >= n) return;                                                                 \
  float m = x[0], s = 0.0f, q = 0.0f;                                                 \
  for (int k = FIRST; k < n; ++k) m = fmaxf(m, x[k]);                                 \
  for (int k = 0; k < n; ++k) s += x[k];                                              \
  float mean = s / (n + MORE);                                                        \
  for (int k = 0; k < n; ++k) q += (x[k] - mean) * (x[k] - mean);                     \
  atomicAdd(y, expf(x[i] - m)); z[i] = q;                                                 \
}
ENTRY(summed_exponentials, 1, 0)
ENTRY(summed_exponentials_of_more, 1, 1)
ENTRY(summed_exponentials_late, 2, 0)
