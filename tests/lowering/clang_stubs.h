// Just enough declarations for clang to read an emitted kernel as CUDA. The validator has its own.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
typedef __SIZE_TYPE__ size_t;
struct Dimensions {
  unsigned x, y, z;
};
extern const __device__ Dimensions blockIdx, blockDim, gridDim, threadIdx;
extern "C" {
__device__ void __syncthreads();
__device__ float __shfl_xor_sync(unsigned, float, int);
__device__ float __shfl_down_sync(unsigned, float, unsigned);
__device__ float __uint_as_float(unsigned);
__device__ double __longlong_as_double(long long);
__device__ float __fadd_rn(float, float);
__device__ float __fsub_rn(float, float);
__device__ float __fmul_rn(float, float);
__device__ float __fdiv_rn(float, float);
__device__ float __fmaf_rn(float, float, float);
__device__ float __fsqrt_rn(float);
__device__ double __dadd_rn(double, double);
__device__ double __dsub_rn(double, double);
__device__ double __dmul_rn(double, double);
__device__ double __ddiv_rn(double, double);
__device__ double __fma_rn(double, double, double);
__device__ double __dsqrt_rn(double);
__device__ float fmaxf(float, float);
__device__ float fminf(float, float);
__device__ float fabsf(float);
__device__ float floorf(float);
__device__ float ceilf(float);
__device__ float truncf(float);
__device__ float rintf(float);
__device__ double fmax(double, double);
__device__ double fmin(double, double);
__device__ double fabs(double);
__device__ double floor(double);
__device__ double ceil(double);
__device__ double trunc(double);
__device__ double rint(double);
}
