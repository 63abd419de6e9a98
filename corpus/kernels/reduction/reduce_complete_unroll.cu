// Sixth step: every level written out by a template of the block's size.
// expect reduce_complete_unroll: proved
// expect reduce_complete_unroll ptx: proved
// expect reduce_complete_unroll_size: refuted value
// expect reduce_complete_unroll_barrier: refuted race
template <unsigned size, int fault>
__device__ void body(const float* x, float* y) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = x[(size_t)blockIdx.x * 256 + t];
  __syncthreads();
  if (size >= 256) { if (t < 128) s[t] += s[t + 128]; if (fault != 2) __syncthreads(); }
  if (size >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
  if (size >= 64) { if (t < 32) s[t] += s[t + 32]; __syncthreads(); }
  if (size >= 32) { if (t < 16) s[t] += s[t + 16]; __syncthreads(); }
  if (size >= 16) { if (t < 8) s[t] += s[t + 8]; __syncthreads(); }
  if (size >= 8) { if (t < 4) s[t] += s[t + 4]; __syncthreads(); }
  if (size >= 4) { if (t < 2) s[t] += s[t + 2]; __syncthreads(); }
  if (t == 0) y[blockIdx.x] = s[0] + s[1];
}
__global__ void reduce_complete_unroll(const float* x, float* y) { body<256, 0>(x, y); }
__global__ void reduce_complete_unroll_size(const float* x, float* y) { body<128, 0>(x, y); }
__global__ void reduce_complete_unroll_barrier(const float* x, float* y) { body<256, 2>(x, y); }
