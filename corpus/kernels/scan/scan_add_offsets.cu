// The last launch of a scan over blocks: each block adds what stood before it.
// expect scan_add_offsets: proved
// expect scan_add_offsets ptx: proved
// expect scan_add_offsets_own: refuted value
// expect scan_add_offsets_guard: refuted bounds
template <int fault>
__device__ void body(unsigned* y, const unsigned* before, unsigned n) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (fault == 2 ? i <= n : i < n) y[i] += before[fault == 1 ? 0 : blockIdx.x];
}
__global__ void scan_add_offsets(unsigned* y, const unsigned* before, unsigned n) { body<0>(y, before, n); }
__global__ void scan_add_offsets_own(unsigned* y, const unsigned* before, unsigned n) { body<1>(y, before, n); }
__global__ void scan_add_offsets_guard(unsigned* y, const unsigned* before, unsigned n) { body<2>(y, before, n); }
