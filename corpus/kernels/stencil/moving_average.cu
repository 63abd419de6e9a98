// Means of the last four places, fewer at the start.
// expect moving_average: proved
// expect moving_average ptx: proved
// expect moving_average_start: refuted bounds
// expect moving_average_window: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  float a = 0.0f;
#pragma unroll 1
  for (int j = 0; j < (fault == 2 ? 5 : 4); ++j)
    if (fault == 1 || i - j >= 0) a += x[i - j];
  y[i] = a * 0.25f;
}
__global__ void moving_average(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void moving_average_start(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void moving_average_window(const float* x, float* y, int n) { body<2>(x, y, n); }
