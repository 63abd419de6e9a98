// One clause names an element twice, or one outside the buffer.
// expect folded_ensure: open value
__global__ void folded_ensure(const float* x, float* y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = x[i];
}
