// Each block adds its sum to one word by an atomic; the word keeps what it held before.
// expect sum_atomic_blocks: proved
// expect sum_atomic_blocks ptx: proved
// expect sum_atomic_blocks_plain: refuted race
// expect sum_atomic_blocks_all: refuted value
#include <cuda_runtime.h>

template <int fault>
__device__ void body(const unsigned* __restrict__ in, unsigned* out, int n) {
  __shared__ unsigned s[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 256 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int k = 128; k; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (fault == 1) {
    if (t == 0) *out = *out + s[0];
  } else if (fault == 2 ? t < 32 : t == 0) {
    atomicAdd(out, s[0]);
  }
}
__global__ void sum_atomic_blocks(const unsigned* in, unsigned* out, int n) { body<0>(in, out, n); }
__global__ void sum_atomic_blocks_plain(const unsigned* in, unsigned* out, int n) { body<1>(in, out, n); }
__global__ void sum_atomic_blocks_all(const unsigned* in, unsigned* out, int n) { body<2>(in, out, n); }
