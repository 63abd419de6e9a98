// expect squares: proved
// expect squares ptx: proved
// expect squares_in_assert: refuted value
// expect squares_in_assert ptx: refuted value

// With NDEBUG nothing of an assertion is executed.
#define NDEBUG
#include <cassert>
__global__ void squares(const float* x, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  assert(i < 0);
  if (i < n) y[i] = x[i] * x[i];
}
__global__ void squares_in_assert(const float* x, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  assert((v = v * v) >= 0.0f);
  y[i] = v;
}
