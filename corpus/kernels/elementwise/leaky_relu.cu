// x where it is positive, x / 8 elsewhere.
// expect leaky_relu: proved
// expect leaky_relu ptx: proved
// expect leaky_relu_slope: refuted value
// expect leaky_relu_short_grid: refuted coverage
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= (fault == 2 ? n - 1 : n)) return;
  float v = x[i];
  y[i] = v > 0.0f ? v : v * (fault == 1 ? 0.25f : 0.125f);
}
__global__ void leaky_relu(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void leaky_relu_slope(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void leaky_relu_short_grid(const float* x, float* y, int n) { body<2>(x, y, n); }
