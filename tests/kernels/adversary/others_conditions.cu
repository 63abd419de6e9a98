// Whether another thread wrote its place hangs on its own result of an atomic, or its warp's of a vote.
// expect others_atomic_all: proved
// expect others_atomic_all ptx: proved
// expect others_atomic: refuted init
// expect others_atomic ptx: refuted init
// expect others_vote: open init
// expect others_vote ptx: open init
__global__ void others_atomic_all(const unsigned* x, unsigned* y, unsigned* c) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  unsigned v = atomicAdd(c, x[t]);
  s[t] = x[t];
  __syncthreads();
  y[t] = v > 5 ? s[63 - t] : 0;
}
__global__ void others_atomic(const unsigned* x, unsigned* y, unsigned* c) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  unsigned v = atomicAdd(c, x[t]);
  if (v > 5) s[t] = x[t];
  __syncthreads();
  if (v > 5) y[t] = s[63 - t];
  else y[t] = 0;
}
__global__ void others_vote(const unsigned* x, unsigned* y, unsigned* c) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  unsigned v = __ballot_sync(0xffffffffu, x[t] > 50);
  if (v > 5) s[t] = x[t];
  __syncthreads();
  if (v > 5) y[t] = s[63 - t];
  else y[t] = 0;
}
