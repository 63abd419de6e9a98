// Second step: the working threads stand together.
// expect reduce_strided_index: proved
// expect reduce_strided_index ptx: proved
// expect reduce_strided_index_limit: refuted bounds
// expect reduce_strided_index_offset: refuted value
template <int fault>
__device__ void body(const float* x, float* y) {
  __shared__ float s[128];
  unsigned t = threadIdx.x;
  s[t] = x[(size_t)blockIdx.x * 128 + t];
  __syncthreads();
#pragma unroll
  for (unsigned o = 1; o < 128; o *= 2) {
    unsigned i = 2 * o * t;
    if (i < (fault == 1 ? 256 : 128)) s[i] += s[i + (fault == 2 ? 1 : o)];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
__global__ void reduce_strided_index(const float* x, float* y) { body<0>(x, y); }
__global__ void reduce_strided_index_limit(const float* x, float* y) { body<1>(x, y); }
__global__ void reduce_strided_index_offset(const float* x, float* y) { body<2>(x, y); }
