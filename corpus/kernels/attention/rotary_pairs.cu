// Pairs of neighbours turned by given cosines and sines.
// expect rotary_pairs: proved
// expect rotary_pairs ptx: proved
// expect rotary_pairs_sign: refuted value
// expect rotary_pairs_position: refuted value
template <int fault>
__device__ void body(const float* x, const float* co, const float* si, float* y, unsigned tokens, unsigned half) {
  unsigned p = blockIdx.x * 64 + threadIdx.x, t = blockIdx.y;
  if (p >= half) return;
  size_t at = (size_t)t * (2 * half) + 2 * p, table = (size_t)(fault == 2 ? 0 : t) * half + p;
  float a = x[at], b = x[at + 1], c = co[table], s = si[table];
  y[at] = fault == 1 ? a * c + b * s : a * c - b * s;
  y[at + 1] = a * s + b * c;
}
#define ENTRY(NAME, FAULT)                                                                                                 \
  __global__ void NAME(const float* x, const float* co, const float* si, float* y, unsigned tokens, unsigned half) {       \
    body<FAULT>(x, co, si, y, tokens, half);                                                                               \
  }
ENTRY(rotary_pairs, 0)
ENTRY(rotary_pairs_sign, 1)
ENTRY(rotary_pairs_position, 2)
