// Whether a slot was written by its own thread or by the opposite one depends on what each of the two got from
// the counter: neither may have written it.
// expect others_joined_both: proved
// expect others_joined: refuted init
// expect others_joined ptx: refuted init
__global__ void others_joined_both(int* counter, int* y) {
  __shared__ int s[64];
  int t = threadIdx.x, v = atomicAdd(counter, 1);
  s[t] = 1;
  if (v & 1) s[t] = 1;
  __syncthreads();
  y[blockIdx.x * 64 + t] = s[t];
}
__global__ void others_joined(int* counter, int* y) {
  __shared__ int s[64];
  int t = threadIdx.x, v = atomicAdd(counter, 1);
  if (v & 1)
    s[t] = 1;
  else
    s[63 - t] = 1;
  __syncthreads();
  y[blockIdx.x * 64 + t] = s[t];
}
