// The specification calls the output as the text calls an array in shared memory.
// expect same_names: proved
// expect same_names ptx: proved
// expect only_the_array: refuted coverage value
// expect only_the_array ptx: refuted coverage value
// expect one_address: refuted race
extern __shared__ float y[];
extern __shared__ float other[];
__global__ void same_names(const float* x, float* out) {
  y[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = y[threadIdx.x ^ 1];
}
__global__ void only_the_array(const float* x, float* out) { y[threadIdx.x] = x[threadIdx.x ^ 1]; }
// Two dynamic arrays are one memory.
__global__ void one_address(const float* x, float* out) {
  y[threadIdx.x] = x[threadIdx.x];
  other[threadIdx.x ^ 2] = 0.0f;
  __syncthreads();
  out[threadIdx.x] = y[threadIdx.x ^ 1];
}
