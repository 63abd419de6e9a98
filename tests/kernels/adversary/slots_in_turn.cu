// What a slot that goes round holds is its newest store's: of an iteration before, or of before the loop.
// expect slots_in_turn: proved
// expect slots_in_turn_flip: proved
// expect slots_in_turn_cleared: refuted value
// expect slots_in_turn_stale: refuted value
// expect slots_in_turn_first: refuted value
// expect slots_in_turn_own: refuted value
template <int fault>
__device__ void body(const float* x, float* y, unsigned N) {
  __shared__ float s[2][32];
  unsigned t = threadIdx.x, rounds = N / 32, slot = 0;
  s[0][t] = x[(fault == 4 ? 32 * (rounds - 1) : 0) + t];
  __syncthreads();
  for (unsigned i = 0; i < rounds; ++i) {
    unsigned now = fault == 1 ? slot : i % 2, next = fault == 1 ? slot ^ 1 : 1 - now;
    if (fault == 3 ? i + 2 < rounds : i + 1 < rounds) s[next][t] = x[(i + 1) * 32 + t];
    y[i * 32 + t] = s[now][fault == 5 ? t : 31 - t];
    __syncthreads();
    if (fault == 2) {
      if (i == 7) s[next][t] = 0.0f;
      __syncthreads();
    }
    slot ^= 1;
  }
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* x, float* y, unsigned N) { body<FAULT>(x, y, N); }
ENTRY(slots_in_turn, 0)
ENTRY(slots_in_turn_flip, 1)
ENTRY(slots_in_turn_cleared, 2)
ENTRY(slots_in_turn_stale, 3)
ENTRY(slots_in_turn_first, 4)
ENTRY(slots_in_turn_own, 5)
