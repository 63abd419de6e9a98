// expect unknown_beside: proved
// expect unknown_beside ptx: proved
// expect unknown_beside_wrong: refuted value
// expect unknown_beside_wrong ptx: refuted value
// expect unknown_beside_overlap: open race
// expect unknown_beside_overlap ptx: open race
// expect unknown_used: unrun value
// expect unknown_used ptx: unrun value
// expect unknown_anywhere: open alignment init race frame value
// expect unknown_anywhere ptx: open alignment init race frame value

// An instruction that no reader knows: what does not depend on its result is decided, and what does is not.
__device__ unsigned saturated(unsigned v) {
  unsigned r;
  asm volatile("vadd.u32.u32.u32.sat %0, %1, %2;" : "=r"(r) : "r"(v), "r"(7u));
  return r;
}
__global__ void unknown_beside(const unsigned* x, unsigned* y, unsigned* z, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  saturated(x[i]);
  y[i] = x[i] + 1;
  z[i] = 0;
}
// Its result decides nothing, so that launches can be executed.
__global__ void unknown_beside_wrong(const unsigned* x, unsigned* y, unsigned* z, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  saturated(x[i]);
  y[i] = x[i] + 2;
  z[i] = 0;
}
__global__ void unknown_beside_overlap(const unsigned* x, unsigned* y, unsigned* z, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  saturated(x[i]);
  y[i] = x[i] + 1;
  z[i / 2] = 0;
}
__global__ void unknown_used(const unsigned* x, unsigned* y, unsigned* z, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  y[i] = saturated(x[i]) - 6;
  z[i] = 0;
}
// Nothing is known of this one: it may write any register that it names, and any memory. (It makes the
// contents of 128 bytes undefined.)
__global__ void unknown_anywhere(const unsigned* x, unsigned* y, unsigned* z, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  y[i] = x[i] + 1;
  z[i] = 0;
  if (i % 32 == 0) asm volatile("discard.global.L2 [%0], 128;" ::"l"(y + i) : "memory");
}
