// relu(x w + b) of halves at fixed sizes: sums in single precision, rounded to half after the product, after
// the bias and at the end.
// expect hgemm_bias_relu: proved
// expect hgemm_bias_relu ptx: proved
// expect hgemm_bias_relu_one_rounding: refuted value
// expect hgemm_bias_relu_first_bias: refuted value
// expect hgemm_bias_relu_short_tile: refuted value
#include <cuda_fp16.h>
template <int fault>
__device__ void body(const __half* b, const __half* w, const __half* x, __half* y) {
  __shared__ float left[16][16];
  __shared__ float right[16][17];
  unsigned tx = threadIdx.x, ty = threadIdx.y;
  unsigned row = blockIdx.y * 16u + ty, column = blockIdx.x * 16u + tx;
  float sum = 0.0f;
  #pragma unroll 1
  for (unsigned tile = 0u; tile < (fault == 3 ? 7u : 8u); ++tile) {
    left[ty][tx] = __half2float(x[row * 128u + tile * 16u + tx]);
    right[ty][tx] = __half2float(w[(tile * 16u + ty) * 96u + column]);
    __syncthreads();
    for (unsigned k = 0u; k < 16u; ++k) sum = __fmaf_rn(left[ty][k], right[k][tx], sum);
    __syncthreads();
  }
  float product = fault == 1 ? sum : __half2float(__float2half_rn(sum));
  __half shifted = __float2half_rn(__fadd_rn(product, __half2float(b[fault == 2 ? 0u : column])));
  y[row * 96u + column] = __float2half_rn(fmaxf(0.0f, __half2float(shifted)));
}
__global__ void hgemm_bias_relu(const __half* b, const __half* w, const __half* x, __half* y) {
  body<0>(b, w, x, y);
}
__global__ void hgemm_bias_relu_one_rounding(const __half* b, const __half* w, const __half* x, __half* y) {
  body<1>(b, w, x, y);
}
__global__ void hgemm_bias_relu_first_bias(const __half* b, const __half* w, const __half* x, __half* y) {
  body<2>(b, w, x, y);
}
__global__ void hgemm_bias_relu_short_tile(const __half* b, const __half* w, const __half* x, __half* y) {
  body<3>(b, w, x, y);
}
