// expect masked: proved
// expect masked ptx: proved
// expect masked_through_shared: proved
// expect masked_upside_down: refuted value
// expect masked_upside_down ptx: refuted value

__global__ void masked(const float* x, const bool* mask, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = mask[i] ? x[i] : 0.0f;
}
__global__ void masked_through_shared(const float* x, const bool* mask, float* y, int n) {
  __shared__ bool keep[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  keep[t] = i < n && mask[i];
  __syncthreads();
  if (i < n) y[i] = keep[t] ? x[i] : 0.0f;
}
__global__ void masked_upside_down(const float* x, const bool* mask, float* y, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = mask[i] ? 0.0f : x[i];
}
