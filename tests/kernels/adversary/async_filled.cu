// A copy by cp.async whose number of bytes is in a register: all of them, or none and zeros instead.
// expect async_filled: proved
// expect async_filled ptx: proved
// expect async_filled_everywhere: refuted bounds
// expect async_filled_everywhere ptx: refuted bounds
// expect async_filled_partly: unrun bounds alignment overflow init race barrier termination coverage frame value
// expect async_filled_partly ptx: unrun bounds alignment overflow init race barrier termination coverage frame value
__device__ void copy(float* to, const float* from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
               "r"(bytes)
               : "memory");
}
template <class Bytes>
__device__ void body(const float* x, float* y, int n, Bytes bytes) {
  __shared__ __align__(16) float s[128];
  const int first = blockIdx.x * 128, mine = threadIdx.x * 4;
  const bool inside = first + mine < n;
  copy(&s[mine], inside ? x + first + mine : x, bytes(inside));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int k = 0; k < 4; ++k) y[first + k * 32 + threadIdx.x] = s[127 - (k * 32 + threadIdx.x)];
}
__global__ void async_filled(const float* x, float* y, int n) {
  body(x, y, n, [](bool inside) { return inside ? 16 : 0; });
}
__global__ void async_filled_everywhere(const float* x, float* y, int n) {
  __shared__ __align__(16) float s[128];
  const int first = blockIdx.x * 128, mine = threadIdx.x * 4;
  copy(&s[mine], x + first + mine, 16);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int k = 0; k < 4; ++k) y[first + k * 32 + threadIdx.x] = s[127 - (k * 32 + threadIdx.x)];
}
__global__ void async_filled_partly(const float* x, float* y, int n) {
  body(x, y, n, [](bool inside) { return inside ? 8 : 0; });
}
