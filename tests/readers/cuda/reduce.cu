// Block sums of x: a strided loop, a shuffle tree, shared memory, the leaders' sum. The PTX beside it
// (../ptx/reduce.ptx) is nvcc's.
__device__ __noinline__ float square(float a) { return __fmul_rn(a, a); }

__global__ void sum_of_squares(const float* x, float* y, int n) {
  __shared__ float part[32];
  float s = 0.0f;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    s = __fadd_rn(s, square(x[i]));
  for (int o = 16; o > 0; o >>= 1) s = __fadd_rn(s, __shfl_xor_sync(0xffffffffu, s, o));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    float r = 0.0f;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) r = __fadd_rn(r, part[w]);
    y[blockIdx.x] = r;
  }
}
