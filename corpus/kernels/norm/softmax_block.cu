// Softmax, a block a row, trees in shared memory.
// expect softmax_block: proved
// expect softmax_block ptx: proved
// expect softmax_block_reuse: refuted race
// expect softmax_block_sum: refuted value
template <int fault>
__device__ void body(const float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  size_t row = (size_t)blockIdx.x * n;
  float m = -INFINITY;
  for (int i = t; i < n; i += 64) m = fmaxf(m, x[row + i]);
  s[t] = m;
  __syncthreads();
#pragma unroll
  for (int o = 32; o > 0; o >>= 1) {
    if (t < o) s[t] = fmaxf(s[t], s[t + o]);
    __syncthreads();
  }
  m = s[0];
  if (fault != 1) __syncthreads();
  float a = 0.0f;
  for (int i = t; i < n; i += 64) a += expf(x[row + i] - m);
  s[t] = a;
  __syncthreads();
#pragma unroll
  for (int o = 32; o > 0; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  float total = s[0];
  for (int i = t; i < n; i += 64) y[row + i] = expf(x[row + i] - m) / (fault == 2 ? total + 1.0f : total);
}
__global__ void softmax_block(const float* x, float* y, int n) { body<0>(x, y, n); }
__global__ void softmax_block_reuse(const float* x, float* y, int n) { body<1>(x, y, n); }
__global__ void softmax_block_sum(const float* x, float* y, int n) { body<2>(x, y, n); }
