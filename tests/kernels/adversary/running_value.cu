// What a loop carries, stored while it goes on: the sum so far, of two loops one in the other, is no other sum.
// expect running_value: proved
// expect running_value ptx: proved
// expect running_value_late: refuted value
// expect running_value_late ptx: refuted value
// expect running_value_restarted: refuted value
// expect running_value_restarted ptx: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int rows, int n) {
  float a = 0.0f;
#pragma unroll 1
  for (int r = 0; r < rows; ++r) {
    if (fault == 2) a = 0.0f;
    if (fault == 1) y[r] = a;
#pragma unroll 1
    for (int c = 0; c < n; ++c) a += x[(size_t)r * n + c];
    if (fault != 1) y[r] = a;
  }
}
__global__ void running_value(const float* x, float* y, int rows, int n) { body<0>(x, y, rows, n); }
__global__ void running_value_late(const float* x, float* y, int rows, int n) { body<1>(x, y, rows, n); }
__global__ void running_value_restarted(const float* x, float* y, int rows, int n) { body<2>(x, y, rows, n); }
