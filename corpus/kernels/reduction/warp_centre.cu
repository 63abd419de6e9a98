// Every lane subtracts the sum of its warp, which the first lane has and hands to the others.
// expect warp_centre: proved
// expect warp_centre ptx: proved
// expect warp_centre_own: refuted value
// expect warp_centre_last: refuted value
template <int fault>
__device__ void body(const unsigned* x, unsigned* y) {
  unsigned i = blockIdx.x * 32 + threadIdx.x, v = x[i];
  unsigned s = v;
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffff, s, d);
  if (fault != 1) s = __shfl_sync(0xffffffff, s, fault == 2 ? 31 : 0);
  y[i] = v - s;
}
__global__ void warp_centre(const unsigned* x, unsigned* y) { body<0>(x, y); }
__global__ void warp_centre_own(const unsigned* x, unsigned* y) { body<1>(x, y); }
__global__ void warp_centre_last(const unsigned* x, unsigned* y) { body<2>(x, y); }
