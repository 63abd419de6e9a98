// What a thread stores and stores over again is nobody's value; only the last store has to leave the right one.
// expect written_twice: proved
// expect written_twice ptx: proved
// expect written_twice_part: refuted value
// expect written_twice_part ptx: refuted value
// expect written_twice_before: refuted value
// expect written_twice_before ptx: refuted value
// expect written_twice_some: refuted value
// expect written_twice_some ptx: refuted value
__global__ void written_twice(const float* x, float* y, int c) {
#pragma unroll 1
  for (int i = threadIdx.x; i < c; i += 128) y[blockIdx.x * c + i] = x[blockIdx.x * c + i] - 1.0f;
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < c; i += 128) y[blockIdx.x * c + i] = x[blockIdx.x * c + i] + 1.0f;
}
__global__ void written_twice_part(const float* x, float* y, int c) {
#pragma unroll 1
  for (int i = threadIdx.x; i < c; i += 128) y[blockIdx.x * c + i] = x[blockIdx.x * c + i] - 1.0f;
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < c - 1; i += 128) y[blockIdx.x * c + i] = x[blockIdx.x * c + i] + 1.0f;
}
__global__ void written_twice_before(const float* x, float* y, int c) {
#pragma unroll 1
  for (int i = threadIdx.x; i < c; i += 128) y[blockIdx.x * c + i] = x[blockIdx.x * c + i] + 1.0f;
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < c; i += 128) y[blockIdx.x * c + i] = x[blockIdx.x * c + i] - 1.0f;
}
__global__ void written_twice_some(const float* x, float* y, int c) {
#pragma unroll 1
  for (int i = threadIdx.x; i < c; i += 128) y[blockIdx.x * c + i] = x[blockIdx.x * c + i] - 1.0f;
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < c; i += 128)
    if (x[i] > 0.0f) y[blockIdx.x * c + i] = x[blockIdx.x * c + i] + 1.0f;
}
