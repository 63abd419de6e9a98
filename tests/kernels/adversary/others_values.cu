// What a thread reads of another one's place depends on that thread's values, not on its own of the same name.
// expect others_running_again: proved
// expect others_running_again ptx: proved
// expect others_running: refuted value
// expect others_running_same: refuted value
// expect others_running ptx: refuted value
// expect others_running_same ptx: refuted value
__global__ void others_running_again(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  unsigned a = 0;
  for (int k = 0; k < n; ++k) {
    s[t] = a;
    __syncthreads();
    y[k * 64 + t] = s[t] - a + x[k * 64 + t];
    a = a * 3u + x[k * 64 + t];
    __syncthreads();
  }
}
__global__ void others_running(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  unsigned a = 0;
  for (int k = 0; k < n; ++k) {
    a = a * 3u + x[k * 64 + t];
    s[t] = a;
    __syncthreads();
    y[k * 64 + t] = s[63 - t] - s[t] + a;
    __syncthreads();
  }
}
// Zero only for what is the thread's own.
__global__ void others_running_same(const unsigned* x, unsigned* y, int n) {
  __shared__ unsigned s[64];
  int t = threadIdx.x;
  unsigned a = 0;
  for (int k = 0; k < n; ++k) {
    s[t] = a;
    __syncthreads();
    y[k * 64 + t] = s[63 - t] - a + x[k * 64 + t];
    a = a * 3u + x[k * 64 + t];
    __syncthreads();
  }
}
