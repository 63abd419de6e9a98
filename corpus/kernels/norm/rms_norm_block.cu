// Root mean square normalisation, a block a row.
// expect rms_norm_block: proved
// expect rms_norm_block ptx: proved
// expect rms_norm_block_barrier: refuted race
// expect rms_norm_block_square: refuted value
template <int fault>
__device__ void body(const float* x, const float* g, float* y, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  size_t row = (size_t)blockIdx.x * n;
  float a = 0.0f;
  for (int i = t; i < n; i += 128) a += x[row + i] * (fault == 2 ? 1.0f : x[row + i]);
  s[t] = a;
  __syncthreads();
#pragma unroll
  for (int o = 64; o > 0; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    if (fault != 1 || o > 1) __syncthreads();
  }
  float scale = rsqrtf(s[0] / n + 0.5f);
  for (int i = t; i < n; i += 128) y[row + i] = x[row + i] * scale * g[i];
}
__global__ void rms_norm_block(const float* x, const float* g, float* y, int n) { body<0>(x, g, y, n); }
__global__ void rms_norm_block_barrier(const float* x, const float* g, float* y, int n) { body<1>(x, g, y, n); }
__global__ void rms_norm_block_square(const float* x, const float* g, float* y, int n) { body<2>(x, g, y, n); }
