// What a thread reads of its own store needs no barrier, and nobody else's store counts there.
// expect own_interval: proved
// expect own_interval_some: refuted value
// expect own_interval_others: refuted race
// expect own_interval_rounds: refuted race
// expect own_interval_last_round: refuted value
template <int fault>
__device__ void body(const float* x, float* y, unsigned N) {
  __shared__ float s[2][32];
  unsigned t = threadIdx.x, l = N / 32;
  float out = 0.0f;
  if (fault <= 2) {
    s[0][t] = x[32 * (l - 1) + 31 - t];
    if (fault == 1 && t == 3) s[0][t] = 0.0f;
    out = s[0][fault == 2 ? t / 2 : t];
  } else if (fault == 3) {
    for (unsigned i = 0; i < l; ++i) s[0][t] = x[32 * i + 31 - t];
    out = s[0][31 - t];
  } else {
    for (unsigned i = 0; i < l; ++i) {
      s[i % 2][t] = x[32 * i + t];
      __syncthreads();
    }
    if (t == 7) s[(l - 1) % 2][t] = 0.0f;
    __syncthreads();
    out = s[(l - 1) % 2][31 - t];
  }
  y[t] = out;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* x, float* y, unsigned N) { body<FAULT>(x, y, N); }
ENTRY(own_interval, 0)
ENTRY(own_interval_some, 1)
ENTRY(own_interval_others, 2)
ENTRY(own_interval_rounds, 3)
ENTRY(own_interval_last_round, 4)
