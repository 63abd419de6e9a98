// Squared differences, summed for each row.
// expect mean_squared_error: proved
// expect mean_squared_error ptx: proved
// expect mean_squared_error_absolute: refuted value
// expect mean_squared_error_scale: refuted value
template <int fault>
__device__ void body(const float* p, const float* t, float* y, int rows, int n) {
  int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= rows) return;
  float a = 0.0f;
  for (int i = 0; i < n; ++i) {
    float d = p[(size_t)r * n + i] - t[(size_t)r * n + i];
    a += fault == 1 ? fabsf(d) : d * d;
  }
  y[r] = a / (float)(fault == 2 ? rows : n);
}
__global__ void mean_squared_error(const float* p, const float* t, float* y, int rows, int n) { body<0>(p, t, y, rows, n); }
__global__ void mean_squared_error_absolute(const float* p, const float* t, float* y, int rows, int n) { body<1>(p, t, y, rows, n); }
__global__ void mean_squared_error_scale(const float* p, const float* t, float* y, int rows, int n) { body<2>(p, t, y, rows, n); }
