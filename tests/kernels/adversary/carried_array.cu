// An array that an earlier iteration wrote, behind a barrier.
// expect carried_array: proved
// expect carried_array_changes: refuted value
// expect carried_array_once: open value
__global__ void carried_array(float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = 1.0f;
  __syncthreads();
  for (int k = 0; k < n; k++) y[k * 64 + t] = s[t ^ 1];
}
__global__ void carried_array_changes(float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = 1.0f;
  for (int k = 0; k < n; k++) {
    __syncthreads();
    y[k * 64 + t] = s[t];
    __syncthreads();
    s[t] = 2.0f;
  }
}
__global__ void carried_array_once(float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = 1.0f;
  for (int k = 0; k < n; k++) {
    __syncthreads();
    y[k * 64 + t] = s[t];
    __syncthreads();
    if (k == 60000) s[t] = 2.0f;
  }
}
