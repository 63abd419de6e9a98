// Each element minus the one before it, from the lane below; warps start anew.
// expect neighbour_difference: proved
// expect neighbour_difference ptx: proved
// expect neighbour_difference_above: refuted value
// expect neighbour_difference_first: refuted value
// expect neighbour_difference_guarded: refuted shuffle
template <int fault>
__device__ void body(const unsigned* x, unsigned* y, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (fault == 3 && i >= n) return;
  unsigned v = i < n ? x[i] : 0;
  unsigned u = fault == 1 ? __shfl_down_sync(0xffffffffu, v, 1) : __shfl_up_sync(0xffffffffu, v, 1);
  if (i < n) y[i] = fault != 2 && (threadIdx.x & 31) == 0 ? v : v - u;
}
__global__ void neighbour_difference(const unsigned* x, unsigned* y, int n) { body<0>(x, y, n); }
__global__ void neighbour_difference_above(const unsigned* x, unsigned* y, int n) { body<1>(x, y, n); }
__global__ void neighbour_difference_first(const unsigned* x, unsigned* y, int n) { body<2>(x, y, n); }
__global__ void neighbour_difference_guarded(const unsigned* x, unsigned* y, int n) { body<3>(x, y, n); }
