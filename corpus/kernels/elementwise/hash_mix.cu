// Integers modulo 2^32: a linear congruential step.
// expect hash_mix: proved
// expect hash_mix ptx: proved
// expect hash_mix_increment: refuted value
// expect hash_mix_multiplier: refuted value
template <int fault>
__device__ void body(const unsigned* x, unsigned* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] * (fault == 2 ? 1664527u : 1664525u) + (fault == 1 ? 1013904222u : 1013904223u);
}
__global__ void hash_mix(const unsigned* x, unsigned* y, int n) { body<0>(x, y, n); }
__global__ void hash_mix_increment(const unsigned* x, unsigned* y, int n) { body<1>(x, y, n); }
__global__ void hash_mix_multiplier(const unsigned* x, unsigned* y, int n) { body<2>(x, y, n); }
