// Both reads are outside x, which is undefined: they need not agree, and the difference need not be zero.
extern "C" __global__ void decides_outside(const int* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int a = x[i + n];
  const int b = x[i + n];
  y[i] = a - b == 0 ? 1.0f : 2.0f;
}

// Two comparisons of one outside element need not agree.
extern "C" __global__ void compares_outside(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float first = x[i + n] > 0.0f ? 1.0f : 0.0f;
  y[i] = x[i + n] > 0.0f ? first : 1.0f - first;
}
