// Which store a read of shared memory sees where paths with different numbers of barriers meet.
// expect newest_writer: proved
// expect one_branch_writes_again: refuted value
// expect other_branch_writes_again: open value
// expect first_of_two: refuted value
__global__ void newest_writer(float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = 2.0f;
  __syncthreads();
  s[t] = 1.0f;
  __syncthreads();
  y[blockIdx.x * 64 + t] = s[t ^ 1];
}
__global__ void one_branch_writes_again(float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = 1.0f;
  __syncthreads();
  if (n == 123457) {
    s[t] = 2.0f;
    __syncthreads();
  }
  y[blockIdx.x * 64 + t] = s[t];
}
__global__ void other_branch_writes_again(float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = 1.0f;
  __syncthreads();
  if (n != 123457) {
  } else {
    s[t] = 2.0f;
    __syncthreads();
    __syncthreads();
  }
  y[blockIdx.x * 64 + t] = s[t];
}
__global__ void first_of_two(float* y, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = 1.0f;
  if (n == 123457) s[t] = 2.0f;
  __syncthreads();
  y[blockIdx.x * 64 + t] = s[t ^ 1];
}
