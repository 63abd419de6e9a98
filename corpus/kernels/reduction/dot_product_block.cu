// A dot product for each pair of rows.
// expect dot_product_block: proved
// expect dot_product_block ptx: proved
// expect dot_product_block_square: refuted value
// expect dot_product_block_read: refuted init
template <int fault>
__device__ void body(const float* a, const float* b, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  size_t row = (size_t)blockIdx.x * n;
  float acc = 0.0f;
  for (int i = t; i < n; i += 64) acc += a[row + i] * (fault == 1 ? a[row + i] : b[row + i]);
  if (fault != 2 || t < 63) s[t] = acc;
  __syncthreads();
#pragma unroll
  for (int o = 32; o > 0; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
__global__ void dot_product_block(const float* a, const float* b, float* y, int n) { body<0>(a, b, y, n); }
__global__ void dot_product_block_square(const float* a, const float* b, float* y, int n) { body<1>(a, b, y, n); }
__global__ void dot_product_block_read(const float* a, const float* b, float* y, int n) { body<2>(a, b, y, n); }
