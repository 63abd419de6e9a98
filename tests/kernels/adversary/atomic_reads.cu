// An atomic reads what it changes.
// expect atomic_reads: proved
// expect atomic_reads_wrong: refuted init
// expect atomic_reads ptx: proved
// expect atomic_reads_wrong ptx: refuted init
__global__ void atomic_reads(const unsigned* x, unsigned* y) {
  __shared__ unsigned s[1];
  int t = threadIdx.x;
  if (t == 0) s[0] = 0;
  __syncthreads();
  unsigned v = atomicAdd(&s[0], 1u);
  y[t] = v > 7 ? 1 : 0;
}
__global__ void atomic_reads_wrong(const unsigned* x, unsigned* y) {
  __shared__ unsigned s[1];
  int t = threadIdx.x;
  unsigned v = atomicAdd(&s[0], 1u);
  y[t] = v > 7 ? 1 : 0;
}
