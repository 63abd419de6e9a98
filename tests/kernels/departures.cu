// Threads that leave before a barrier.
extern "C" __global__ void leaves_early(const float* x, float* y, int n) {
  __shared__ float s[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  if (i >= n) return;
  s[t] = x[i];
  __syncthreads();
  y[i] = t > 0 ? s[t - 1] : 0.0f;
}

// The first 16 threads wait at one barrier, the others at another: nobody has left.
extern "C" __global__ void waits_elsewhere(const float* x, float* y) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  if (t < 16) {
    __syncthreads();
    y[t] = s[63 - t];
    return;
  }
  __syncthreads();
  y[t] = s[63 - t];
}

extern "C" __global__ void may_wait_elsewhere(const float* x, float* y) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = x[t];
  if (t < 16) {
    y[t] = x[t];
    if (x[0] > 0.0f) __syncthreads();
    return;
  }
  __syncthreads();
  y[t] = s[79 - t];
}

// Threads that leave have written what the others read after the barrier: leaving orders nothing.
extern "C" __global__ void leaves_after_writing(const float* x, float* y) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  if (t >= 32) {
    s[t - 32] = x[t];
    return;
  }
  __syncthreads();
  y[t] = s[t];
  s[t] = 0.0f;
}
