// Sum of a row by a tree in shared memory, one block a row.
// expect reduce_shared_tree: proved
// expect reduce_shared_tree ptx: proved
// expect reduce_no_barrier: refuted race
// expect reduce_one_step_short: refuted value
__global__ void reduce_shared_tree(const float* x, float* y, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float a = 0.0f;
  for (int i = t; i < n; i += 128) a += x[(size_t)blockIdx.x * n + i];
  s[t] = a;
  __syncthreads();
#pragma unroll
  for (int o = 64; o > 0; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

__global__ void reduce_no_barrier(const float* x, float* y, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float a = 0.0f;
  for (int i = t; i < n; i += 128) a += x[(size_t)blockIdx.x * n + i];
  s[t] = a;
#pragma unroll
  for (int o = 64; o > 0; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}

__global__ void reduce_one_step_short(const float* x, float* y, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  float a = 0.0f;
  for (int i = t; i < n; i += 128) a += x[(size_t)blockIdx.x * n + i];
  s[t] = a;
  __syncthreads();
#pragma unroll
  for (int o = 64; o > 1; o >>= 1) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];
}
