// Partial sums of a whole grid, a symbolic number of blocks.
// expect reduce_grid_partials: proved
// expect reduce_grid_partials ptx: proved
// expect reduce_grid_partials_stride: refuted value
// expect reduce_grid_partials_tree: refuted value
template <int fault>
__device__ void body(const unsigned* x, unsigned* y, unsigned n) {
  __shared__ unsigned s[64];
  unsigned t = threadIdx.x;
  unsigned a = 0;
  for (size_t i = (size_t)blockIdx.x * 64 + t; i < n; i += (size_t)gridDim.x * (fault == 1 ? 128 : 64)) a += x[i];
  s[t] = a;
  __syncthreads();
#pragma unroll
  for (unsigned o = 32; o > (fault == 2 ? 1 : 0); o /= 2) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
__global__ void reduce_grid_partials(const unsigned* x, unsigned* y, unsigned n) { body<0>(x, y, n); }
__global__ void reduce_grid_partials_stride(const unsigned* x, unsigned* y, unsigned n) { body<1>(x, y, n); }
__global__ void reduce_grid_partials_tree(const unsigned* x, unsigned* y, unsigned n) { body<2>(x, y, n); }
