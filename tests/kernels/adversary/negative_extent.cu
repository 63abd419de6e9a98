// expect differences: refuted launch
// expect differences ptx: refuted launch

// Without elements, i < n - 1 holds of every i: a size for which the specification has no buffer, and which no
// other claim speaks of.
__global__ void differences(const float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * 64 + threadIdx.x;
  if (i < n - 1) y[i] = x[i + 1] - x[i];
}
