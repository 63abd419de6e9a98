// First step of seven: neighbours pair up, every second thread works.
// expect reduce_interleaved: proved
// expect reduce_interleaved ptx: proved
// expect reduce_interleaved_barrier: refuted race
// expect reduce_interleaved_stop: refuted value
template <int fault>
__device__ void body(const unsigned* x, unsigned* y) {
  __shared__ unsigned s[128];
  unsigned t = threadIdx.x;
  s[t] = x[blockIdx.x * 128 + t];
  __syncthreads();
#pragma unroll
  for (unsigned o = 1; o < (fault == 2 ? 64 : 128); o *= 2) {
    if (t % (2 * o) == 0) s[t] += s[t + o];
    if (fault != 1) __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
__global__ void reduce_interleaved(const unsigned* x, unsigned* y) { body<0>(x, y); }
__global__ void reduce_interleaved_barrier(const unsigned* x, unsigned* y) { body<1>(x, y); }
__global__ void reduce_interleaved_stop(const unsigned* x, unsigned* y) { body<2>(x, y); }
