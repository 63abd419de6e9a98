// Rotary embedding of adjacent pairs in place, with the angle of each token's own position.
// expect rotary_positions: proved
// expect rotary_positions ptx: proved
// expect rotary_positions_written: refuted value
// expect rotary_positions_sign: refuted value
template <int fault>
__device__ void body(float2* q, const float2* angle, const int* position, int heads, int half) {
  int t = blockIdx.x, h = blockIdx.y, p = threadIdx.x;
  if (p >= half) return;
  float2 c = angle[(size_t)position[t] * half + p];
  size_t at = ((size_t)t * heads + h) * half + p;
  float2 v = q[at];
  float first = v.x * c.x - (fault == 2 ? -v.y : v.y) * c.y;
  q[at] = make_float2(first, (fault == 1 ? first : v.x) * c.y + v.y * c.x);
}
#define ENTRY(NAME, FAULT)                                                                          \
  __global__ void NAME(float2* q, const float2* angle, const int* position, int heads, int half) {  \
    body<FAULT>(q, angle, position, heads, half);                                                   \
  }
ENTRY(rotary_positions, 0)
ENTRY(rotary_positions_written, 1)
ENTRY(rotary_positions_sign, 2)
