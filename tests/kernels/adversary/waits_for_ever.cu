// Who goes round for ever comes to no barrier.
// expect waits_for_ever: proved
// expect waits_for_ever ptx: proved
// expect waits_for_ever_wrong: open barrier termination
// expect waits_for_ever_wrong ptx: open barrier termination
__global__ void waits_for_ever(volatile int* f, int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 1;
  __syncthreads();
  y[t] = s[63 - t];
}
__global__ void waits_for_ever_wrong(volatile int* f, int* y) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 1;
  while (f[0] == 77) {
  }
  __syncthreads();
  y[t] = s[63 - t];
}
