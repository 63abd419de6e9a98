// Third step: halves fold onto each other, without bank conflicts.
// expect reduce_sequential: proved
// expect reduce_sequential ptx: proved
// expect reduce_sequential_barrier: refuted race
// expect reduce_sequential_guard: refuted race
template <int fault>
__device__ void body(const float* x, float* y) {
  __shared__ float s[256];
  unsigned t = threadIdx.x;
  s[t] = x[(size_t)blockIdx.x * 256 + t];
  if (fault != 1) __syncthreads();
#pragma unroll
  for (unsigned o = 128; o > 0; o >>= 1) {
    if (fault == 2 ? t < 2 * o && t + o < 256 : t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
__global__ void reduce_sequential(const float* x, float* y) { body<0>(x, y); }
__global__ void reduce_sequential_barrier(const float* x, float* y) { body<1>(x, y); }
__global__ void reduce_sequential_guard(const float* x, float* y) { body<2>(x, y); }
