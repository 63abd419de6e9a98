// Of halves one missing summand of many is less than their roundings, but where it is nearly all there is.
// expect sum_of_halves: proved
// expect sum_of_halves ptx: proved
// expect sum_of_halves_last: refuted value
// expect sum_of_halves_last ptx: refuted value
// expect sum_of_halves_first: refuted value
// expect sum_of_halves_first ptx: refuted value
#include <cuda_fp16.h>
__global__ void sum_of_halves(const __half* x, __half* y) {
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < 128; ++i) s += __half2float(x[i]);
  y[0] = __float2half(s);
}
__global__ void sum_of_halves_last(const __half* x, __half* y) {
  float s = 0.0f;
#pragma unroll 1
  for (int i = 0; i < 127; ++i) s += __half2float(x[i]);
  y[0] = __float2half(s);
}
__global__ void sum_of_halves_first(const __half* x, __half* y) {
  float s = 0.0f;
#pragma unroll 1
  for (int i = 1; i < 128; ++i) s += __half2float(x[i]);
  y[0] = __float2half(s);
}
