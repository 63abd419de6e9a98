// Inclusive scan of a warp by shuffles upwards.
// expect scan_warp_shuffle: proved
// expect scan_warp_shuffle ptx: proved
// expect scan_warp_shuffle_unguarded: refuted value
// expect scan_warp_shuffle_unguarded ptx: refuted value
// expect scan_warp_shuffle_level: refuted value
// expect scan_warp_shuffle_level ptx: refuted value
template <int fault>
__device__ void body(const unsigned* x, unsigned* y) {
  unsigned lane = threadIdx.x, i = blockIdx.x * 32 + lane;
  unsigned v = x[i];
#pragma unroll
  for (unsigned o = 1; o < (fault == 2 ? 16 : 32); o *= 2) {
    unsigned u = __shfl_up_sync(0xffffffffu, v, o);
    if (fault == 1 || lane >= o) v += u;
  }
  y[i] = v;
}
__global__ void scan_warp_shuffle(const unsigned* x, unsigned* y) { body<0>(x, y); }
__global__ void scan_warp_shuffle_unguarded(const unsigned* x, unsigned* y) { body<1>(x, y); }
__global__ void scan_warp_shuffle_level(const unsigned* x, unsigned* y) { body<2>(x, y); }
