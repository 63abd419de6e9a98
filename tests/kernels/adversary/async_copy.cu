// expect async_copy: proved
// expect async_copy ptx: proved
// expect async_copy_index: refuted value
// expect async_copy_index ptx: refuted value
// expect async_copy_stray: refuted bounds
// expect async_copy_stray ptx: refuted bounds
// expect async_copy_no_barrier: refuted race
// expect async_copy_no_barrier ptx: refuted race

// A copy into shared memory that its thread waits for before the barrier is a load and a store.
__device__ void copy16(float* to, const float* from) {
  unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}
__global__ void async_copy(const float* x, float* y) {
  __shared__ __align__(16) float s[128];
  copy16(&s[threadIdx.x * 4], x + blockIdx.x * 128 + threadIdx.x * 4);
  __syncthreads();
  for (int k = 0; k < 4; ++k) y[blockIdx.x * 128 + k * 32 + threadIdx.x] = s[127 - (k * 32 + threadIdx.x)];
}
__global__ void async_copy_index(const float* x, float* y) {
  __shared__ __align__(16) float s[128];
  copy16(&s[threadIdx.x * 4], x + blockIdx.x * 128 + threadIdx.x * 4);
  __syncthreads();
  for (int k = 0; k < 4; ++k) y[blockIdx.x * 128 + k * 32 + threadIdx.x] = s[k * 32 + threadIdx.x];
}
__global__ void async_copy_stray(const float* x, float* y) {
  __shared__ __align__(16) float s[128];
  copy16(&s[threadIdx.x * 4], x + blockIdx.x * 128 + threadIdx.x * 4 + 4);
  __syncthreads();
  for (int k = 0; k < 4; ++k) y[blockIdx.x * 128 + k * 32 + threadIdx.x] = s[127 - (k * 32 + threadIdx.x)];
}
__global__ void async_copy_no_barrier(const float* x, float* y) {
  __shared__ __align__(16) float s[128];
  copy16(&s[threadIdx.x * 4], x + blockIdx.x * 128 + threadIdx.x * 4);
  for (int k = 0; k < 4; ++k) y[blockIdx.x * 128 + k * 32 + threadIdx.x] = s[127 - (k * 32 + threadIdx.x)];
}
