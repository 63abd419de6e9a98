// Two halves of an array, each written in every other iteration.
// expect half_carried: proved
// expect half_carried_wrong: refuted init
// expect half_carried ptx: proved
// expect half_carried_wrong ptx: refuted init
__global__ void half_carried(const float* x, float* y, int n) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  s[1][t] = 0.0f;
  for (int k = 0; k < n; ++k) {
    s[k & 1][t] = x[k * 64 + t];
    __syncthreads();
    y[k * 64 + t] = s[(k + 1) & 1][63 - t];
    __syncthreads();
  }
}
__global__ void half_carried_wrong(const float* x, float* y, int n) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    if (k > 0) s[k & 1][t] = x[k * 64 + t];
    __syncthreads();
    y[k * 64 + t] = s[(k + 1) & 1][63 - t];
    __syncthreads();
  }
}
