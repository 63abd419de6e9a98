// A mean that is kept up to date forgets where it started, if anything is added and that was a number: of an empty row
// the start is left.
// expect running_mean: proved
// expect running_mean ptx: proved
// expect running_mean_empty: refuted value
// expect running_mean_empty ptx: refuted value
// expect running_mean_half: refuted value
// expect running_mean_half ptx: refuted value
// expect running_mean_infinite: refuted value
// expect running_mean_infinite ptx: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  float m = fault == 3 ? INFINITY : 5.0f;
#pragma unroll 1
  for (int i = 0; i < n; ++i) m += (x[(size_t)r * n + i] - m) / (fault == 2 ? 2.0f * (i + 1) : (float)(i + 1));
  y[r] = fault == 1 || n > 0 ? m : 0.0f;
}
__global__ void running_mean(const float* x, float* y, int rows, int n) { body<0>(x, y, rows, n); }
__global__ void running_mean_empty(const float* x, float* y, int rows, int n) { body<1>(x, y, rows, n); }
__global__ void running_mean_half(const float* x, float* y, int rows, int n) { body<2>(x, y, rows, n); }
__global__ void running_mean_infinite(const float* x, float* y, int rows, int n) { body<3>(x, y, rows, n); }
