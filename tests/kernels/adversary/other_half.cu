// Sixteen bits of one format in a buffer of the other: over the reals the roundings are erased, the bits are not.
// expect other_half: proved
// expect other_half_bits: refuted value
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void other_half(const float* x, __half* y) { y[threadIdx.x] = __float2half_rn(x[threadIdx.x]); }
__global__ void other_half_bits(const float* x, __half* y) {
  reinterpret_cast<__nv_bfloat16*>(y)[threadIdx.x] = __float2bfloat16_rn(x[threadIdx.x]);
}
