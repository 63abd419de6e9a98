// What the iteration before wrote.
// expect carried_from_before: proved
// expect carried_from_before_wrong: refuted init
// expect carried_from_before ptx: proved
// expect carried_from_before_wrong ptx: refuted init
__global__ void carried_from_before(const float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    if (k % 4 == 0) s[t] = x[k * 64 + t];
    __syncthreads();
    if (k % 4 == 1) y[k * 64 + t] = s[63 - t];
    else y[k * 64 + t] = 0.0f;
    __syncthreads();
  }
}
__global__ void carried_from_before_wrong(const float* x, float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    if (k % 4 == 3) s[t] = x[k * 64 + t];
    __syncthreads();
    if (k > 1) y[k * 64 + t] = s[63 - t];
    else y[k * 64 + t] = 0.0f;
    __syncthreads();
  }
}
