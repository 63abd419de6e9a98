// Covariance of two rows, a warp a row: both means first, then the products of the deviations.
// expect covariance_warp: proved
// expect covariance_warp ptx: proved
// expect covariance_warp_exchanged: refuted value
// expect covariance_warp_exchanged ptx: refuted value
// expect covariance_warp_same_row: refuted value
// expect covariance_warp_same_row ptx: refuted value
__device__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
template <int fault>
__device__ void body(const float* x, const float* z, float* y, int n) {
  int lane = threadIdx.x;
  const float *a = x + (size_t)blockIdx.x * n, *b = z + (size_t)blockIdx.x * n;
  float s = 0.0f, t = 0.0f;
  for (int i = lane; i < n; i += 32) {
    s += a[i];
    t += b[i];
  }
  float mean = warp_sum(s) / n, other = warp_sum(t) / n;
  float q = 0.0f;
  for (int i = lane; i < n; i += 32)
    q += (a[i] - (fault == 1 ? other : mean)) * ((fault == 2 ? a : b)[i] - (fault == 1 ? mean : other));
  q = warp_sum(q);
  if (lane == 0) y[blockIdx.x] = q / n;
}
__global__ void covariance_warp(const float* x, const float* z, float* y, int n) { body<0>(x, z, y, n); }
__global__ void covariance_warp_exchanged(const float* x, const float* z, float* y, int n) { body<1>(x, z, y, n); }
__global__ void covariance_warp_same_row(const float* x, const float* z, float* y, int n) { body<2>(x, z, y, n); }
