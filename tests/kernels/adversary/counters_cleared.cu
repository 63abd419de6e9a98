// Counters that atomics change have been written all the same.
// expect counters_cleared: proved
// expect counters_cleared_wrong: refuted init
// expect counters_cleared ptx: proved
// expect counters_cleared_wrong ptx: refuted init
__global__ void counters_cleared(const unsigned* x, unsigned* y) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  s[t] = 0;
  __syncthreads();
  atomicAdd(&s[x[t] % 64u], 1u);
  __syncthreads();
  y[t] = s[t];
}
__global__ void counters_cleared_wrong(const unsigned* x, unsigned* y) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  if (t < 63) s[t] = 0;
  __syncthreads();
  atomicAdd(&s[x[t] % 64u], 1u);
  __syncthreads();
  y[t] = s[t];
}
