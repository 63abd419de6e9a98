// Groups of four sorted by a network, in an array of the thread's own.
// expect sort_four: proved
// expect sort_four ptx: proved
// expect sort_four_last_step: refuted value
// expect sort_four_unassigned: refuted init
// expect sort_four_past_end: refuted bounds
template <int fault>
__device__ void body(const unsigned* x, unsigned* y, unsigned n) {
  unsigned g = blockIdx.x * 64 + threadIdx.x;
  if (g >= n) return;
  unsigned v[4];
#pragma unroll
  for (int i = 0; i < (fault == 2 ? 3 : fault == 3 ? 5 : 4); ++i) v[i] = x[4 * (size_t)g + (i & 3)];
#pragma unroll
  for (int pass = 0; pass < (fault == 1 ? 3 : 4); ++pass)
#pragma unroll
    for (int i = pass & 1; i + 1 < 4; i += 2) {
      unsigned low = min(v[i], v[i + 1]), high = max(v[i], v[i + 1]);
      v[i] = low;
      v[i + 1] = high;
    }
#pragma unroll
  for (int i = 0; i < 4; ++i) y[4 * (size_t)g + i] = v[i];
}
__global__ void sort_four(const unsigned* x, unsigned* y, unsigned n) { body<0>(x, y, n); }
__global__ void sort_four_last_step(const unsigned* x, unsigned* y, unsigned n) { body<1>(x, y, n); }
__global__ void sort_four_unassigned(const unsigned* x, unsigned* y, unsigned n) { body<2>(x, y, n); }
__global__ void sort_four_past_end(const unsigned* x, unsigned* y, unsigned n) { body<3>(x, y, n); }
