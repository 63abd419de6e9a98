// __nv_bfloat16, like half in cuda_fp16.h. CUDA Math API, 3.
#pragma once
#pragma clang system_header
#include "cuda_fp16.h"

HM_HALF_TYPES(__nv_bfloat16, __nv_bfloat162, bf16, __nv_bfloat16_raw)
HM_HALF_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, bf16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
static inline __device__ __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
static inline __device__ __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
static inline __device__ float __bfloat162float(__nv_bfloat16 h) { return __hallmark_bf16_to_f32(h.__x); }
static inline __device__ __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return {__nv_bfloat16(a), __nv_bfloat16(b)};
}
static inline __device__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
static inline __device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) { return __hallmark_make_bf16(u); }
static inline __device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
