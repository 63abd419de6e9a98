// Exclusive scan of 32 places: up the tree and down again, after Blelloch.
// expect scan_blelloch: proved
// expect scan_blelloch ptx: proved
// expect scan_blelloch_root: refuted value
// expect scan_blelloch_barrier: refuted race
template <int fault>
__device__ void body(const unsigned* x, unsigned* y) {
  __shared__ unsigned s[32];
  unsigned t = threadIdx.x;
  s[2 * t] = x[blockIdx.x * 32 + 2 * t];
  s[2 * t + 1] = x[blockIdx.x * 32 + 2 * t + 1];
  __syncthreads();
#pragma unroll
  for (unsigned o = 1; o < 32; o *= 2) {
    if (t < 16 / o) s[2 * o * (t + 1) - 1] += s[2 * o * t + o - 1];
    __syncthreads();
  }
  if (fault != 1 && t == 0) s[31] = 0;
  __syncthreads();
#pragma unroll
  for (unsigned o = 16; o > 0; o /= 2) {
    if (t < 16 / o) {
      unsigned left = s[2 * o * t + o - 1];
      s[2 * o * t + o - 1] = s[2 * o * (t + 1) - 1];
      s[2 * o * (t + 1) - 1] += left;
    }
    if (fault != 2 || o > 4) __syncthreads();
  }
  y[blockIdx.x * 32 + 2 * t] = s[2 * t];
  y[blockIdx.x * 32 + 2 * t + 1] = s[2 * t + 1];
}
__global__ void scan_blelloch(const unsigned* x, unsigned* y) { body<0>(x, y); }
__global__ void scan_blelloch_root(const unsigned* x, unsigned* y) { body<1>(x, y); }
__global__ void scan_blelloch_barrier(const unsigned* x, unsigned* y) { body<2>(x, y); }
