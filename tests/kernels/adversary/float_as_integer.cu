// A float that the integer does not hold is converted to nothing in particular.
// expect float_as_integer: proved
// expect float_as_integer_small: proved
// expect float_as_integer_rounded: proved
// expect float_as_integer_wrong: refuted ub
// expect float_as_integer_large: open ub
__global__ void float_as_integer(const float* x, int* y) {
  y[threadIdx.x] = (int)fminf(fmaxf(x[threadIdx.x], -100.0f), 100.0f);
}
__global__ void float_as_integer_small(const float* x, int* y) { y[threadIdx.x] = (int)((float)threadIdx.x); }
__global__ void float_as_integer_rounded(const float* x, int* y) { y[threadIdx.x] = __float2int_rz(x[threadIdx.x]); }
__global__ void float_as_integer_wrong(const float* x, int* y) { y[threadIdx.x] = (unsigned)x[threadIdx.x]; }
__global__ void float_as_integer_large(const float* x, int* y) { y[threadIdx.x] = (int)(x[threadIdx.x] * 16.0f); }
