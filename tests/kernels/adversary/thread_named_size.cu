// A size of the name that stands for a thread here.
// expect thread_named_size: open value coverage bounds
__global__ void thread_named_size(float* y, int n) {
  y[blockIdx.x * 64 + threadIdx.x] = n == 77777 && threadIdx.x != n ? 1.0f : 0.0f;
}
