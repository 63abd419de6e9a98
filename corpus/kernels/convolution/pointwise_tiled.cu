// A 1 x 1 convolution as a product of matrices, one row of the image a block plane: tiles of 16 x 16.
// expect pointwise_tiled: proved
// expect pointwise_tiled ptx: proved
// expect pointwise_tiled_stride: refuted race
// expect pointwise_tiled_guard: refuted race
template <int fault>
__device__ void body(const float* __restrict__ w, const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float left[16][16], right[16][17];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned channel = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx, row = blockIdx.z;
  float sum = 0.0f;
  for (unsigned tile = 0; tile < 4; ++tile) {
    left[ty][tx] = w[channel * 64 + tile * 16 + tx];
    right[ty][tx] = column < 55 ? x[(tile * 16 + ty) * 3025 + row * 55 + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) sum = fmaf(left[ty][k], right[k][tx], sum);
    __syncthreads();
  }
  if (column < (fault == 2 ? 56 : 55)) y[channel * 3025 + row * (fault == 1 ? 54 : 55) + column] = sum;
}
#define ENTRY(NAME, FAULT) \
  __global__ void NAME(const float* __restrict__ w, const float* __restrict__ x, float* __restrict__ y) { body<FAULT>(w, x, y); }
ENTRY(pointwise_tiled, 0)
ENTRY(pointwise_tiled_stride, 1)
ENTRY(pointwise_tiled_guard, 2)
