// What holds behind one barrier says nothing of what lies behind another.
// expect two_barriers: proved
// expect two_barriers_wrong: refuted race
// expect two_barriers ptx: proved
// expect two_barriers_wrong ptx: refuted race
__global__ void two_barriers(const unsigned* x, unsigned* y, int f) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  s[t] = 0;
  if (f > 0) {
    __syncthreads();
    y[t] = s[63 - t];
  } else {
    __syncthreads();
    y[t] = s[t];
  }
  if (f <= 0) s[t] = t;
}
__global__ void two_barriers_wrong(const unsigned* x, unsigned* y, int f) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  s[t] = 0;
  if (f > 0) {
    __syncthreads();
    y[t] = s[63 - t];
  } else {
    __syncthreads();
    y[t] = s[t];
  }
  if (f <= 0) s[0] = t;
}
