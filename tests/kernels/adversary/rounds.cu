// Rounds of a shared array, which nvcc unrolls by four with a remainder.
// expect rounds: proved
// expect rounds_wrong: refuted race
// expect rounds ptx: proved
// expect rounds_wrong ptx: refuted race
__global__ void rounds(const float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    s[t] = x[k * 64 + t];
    __syncthreads();
    y[k * 64 + t] = s[63 - t];
    __syncthreads();
  }
}
__global__ void rounds_wrong(const float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    s[t] = x[k * 64 + t];
    __syncthreads();
    y[k * 64 + t] = s[63 - t];
  }
}
