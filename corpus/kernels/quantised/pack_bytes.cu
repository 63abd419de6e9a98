// Four small numbers into one word.
// expect pack_bytes: proved
// expect pack_bytes ptx: proved
// expect pack_bytes_order: refuted value
// expect pack_bytes_overlap: refuted value
template <int fault>
__device__ void body(const unsigned* x, unsigned* y, unsigned n) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  size_t at = 4 * (size_t)i;
  unsigned a = x[at], b = x[at + 1], c = x[at + 2], d = x[at + 3];
  if (fault == 1)
    y[i] = d + (c << 8) + (b << 16) + (a << 24);
  else
    y[i] = a + (b << (fault == 2 ? 7 : 8)) + (c << 16) + (d << 24);
}
__global__ void pack_bytes(const unsigned* x, unsigned* y, unsigned n) { body<0>(x, y, n); }
__global__ void pack_bytes_order(const unsigned* x, unsigned* y, unsigned n) { body<1>(x, y, n); }
__global__ void pack_bytes_overlap(const unsigned* x, unsigned* y, unsigned n) { body<2>(x, y, n); }
