// Greatest of n words by one block: shuffles inside the warps, then one thread over the warps' maxima.
// expect block_max_words: proved
// expect block_max_words ptx: proved
// expect block_max_words_barrier: refuted race
// expect block_max_words_lanes: refuted value
// expect block_max_words_signed: refuted value
template <int fault>
__device__ void body(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned part[4];
  int t = threadIdx.x, lane = t & 31, w = t >> 5;
  unsigned m = 0;
  for (int i = t; i < n; i += 128) m = fault == 3 ? (unsigned)max((int)m, (int)x[i]) : max(m, x[i]);
  for (int o = fault == 2 ? 8 : 16; o > 0; o >>= 1) m = max(m, __shfl_down_sync(0xffffffffu, m, o));
  if (lane == 0) part[w] = m;
  if (fault != 1) __syncthreads();
  if (t == 0) {
    for (int k = 1; k < 4; ++k) m = max(m, part[k]);
    y[0] = m;
  }
}
__global__ void block_max_words(const unsigned* x, unsigned* y, int n) { body<0>(x, y, n); }
__global__ void block_max_words_barrier(const unsigned* x, unsigned* y, int n) { body<1>(x, y, n); }
__global__ void block_max_words_lanes(const unsigned* x, unsigned* y, int n) { body<2>(x, y, n); }
__global__ void block_max_words_signed(const unsigned* x, unsigned* y, int n) { body<3>(x, y, n); }
