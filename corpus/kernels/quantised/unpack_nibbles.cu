// Two numbers of four bits in each byte, the low one first.
// expect unpack_nibbles: proved
// expect unpack_nibbles ptx: proved
// expect unpack_nibbles_order: refuted value
// expect unpack_nibbles_mask: refuted value
template <int fault>
__device__ void body(const unsigned char* q, float* y, unsigned n) {
  unsigned i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  unsigned b = q[i], low = fault == 2 ? b : b & 15, high = b >> 4;
  y[2 * (size_t)i] = (float)(fault == 1 ? high : low);
  y[2 * (size_t)i + 1] = (float)(fault == 1 ? low : high);
}
__global__ void unpack_nibbles(const unsigned char* q, float* y, unsigned n) { body<0>(q, y, n); }
__global__ void unpack_nibbles_order(const unsigned char* q, float* y, unsigned n) { body<1>(q, y, n); }
__global__ void unpack_nibbles_mask(const unsigned char* q, float* y, unsigned n) { body<2>(q, y, n); }
