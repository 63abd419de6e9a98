// A slope that no float is exactly: the specification's 0.1 is the kernel's 0.1f.
// expect leaky_relu_decimal: proved
// expect leaky_relu_decimal ptx: proved
// expect leaky_relu_decimal_smaller: refuted value
// expect leaky_relu_decimal_sign: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float slope = fault == 1 ? 0.01f : 0.1f;
  if (i < n) y[i] = (fault == 2 ? x[i] < 0.0f : x[i] > 0.0f) ? x[i] : slope * x[i];
}
__global__ void leaky_relu_decimal(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void leaky_relu_decimal_smaller(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void leaky_relu_decimal_sign(const float* x, float* y, int n) { body<2>(x, y, n); }
