// Elements of the first half turned with those of the second.
// expect rotary_halves: proved
// expect rotary_halves ptx: proved
// expect rotary_halves_pairing: refuted value
// expect rotary_halves_guard: refuted bounds
template <int fault>
__device__ void body(const float* x, const float* co, const float* si, float* y, unsigned tokens, unsigned half) {
  unsigned p = blockIdx.x * 64 + threadIdx.x, t = blockIdx.y;
  if (fault != 2 && p >= half) return;
  size_t at = (size_t)t * (2 * half) + p, i = (size_t)t * half + p;
  float a = x[at], b = x[at + half], c = co[i], s = si[i];
  y[at] = a * c - b * s;
  y[at + half] = fault == 1 ? a * s - b * c : a * s + b * c;
}
#define ENTRY(NAME, FAULT)                                                                                                 \
  __global__ void NAME(const float* x, const float* co, const float* si, float* y, unsigned tokens, unsigned half) {       \
    body<FAULT>(x, co, si, y, tokens, half);                                                                               \
  }
ENTRY(rotary_halves, 0)
ENTRY(rotary_halves_pairing, 1)
ENTRY(rotary_halves_guard, 2)
