// __nv_bfloat16, like half in cuda_fp16.h. CUDA Math API, 3.
#pragma once
#pragma clang system_header
#include "cuda_fp16.h"

// Small integers are exact in float; the others are rounded once, from the integer.
#undef HM_INTEGERS
#define HM_INTEGERS(T)                                  \
  __device__ T(short i) : T((float)i) {}                \
  __device__ T(unsigned short i) : T((float)i) {}       \
  __device__ T(int i) : __x(__hallmark_bf16_from_s32(i)) {} \
  __device__ T(unsigned int i) : __x(__hallmark_bf16_from_u32(i)) {}
extern "C" __device__ unsigned short __hallmark_bf16_from_s32(int);
extern "C" __device__ unsigned short __hallmark_bf16_from_u32(unsigned int);
HM_HALF_TYPES(__nv_bfloat16, __nv_bfloat162, bf16, __nv_bfloat16_raw)
HM_HALF_FUNCTIONS(__nv_bfloat16, __nv_bfloat162, bf16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
static inline __device__ __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
static inline __device__ __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
HM_HALF_DIRECTED(__nv_bfloat16, bf16, __float2bfloat16, rz)
HM_HALF_DIRECTED(__nv_bfloat16, bf16, __float2bfloat16, ru)
HM_HALF_DIRECTED(__nv_bfloat16, bf16, __float2bfloat16, rd)
static inline __device__ float __bfloat162float(__nv_bfloat16 h) { return __hallmark_bf16_to_f32(h.__x); }
static inline __device__ __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return {__nv_bfloat16(a), __nv_bfloat16(b)};
}
static inline __device__ __nv_bfloat162 __float2bfloat162_rn(float a) {
  return {__nv_bfloat16(a), __nv_bfloat16(a)};
}
static inline __device__ __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)};
}
static inline __device__ __nv_bfloat16 __double2bfloat16(double f) { return __nv_bfloat16(f); }
static inline __device__ float2 __bfloat1622float2(__nv_bfloat162 a) {
  return {__bfloat162float(a.x), __bfloat162float(a.y)};
}
static inline __device__ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
static inline __device__ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
static inline __device__ float __low2float(__nv_bfloat162 a) { return __bfloat162float(a.x); }
static inline __device__ float __high2float(__nv_bfloat162 a) { return __bfloat162float(a.y); }
static inline __device__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
static inline __device__ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
static inline __device__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
static inline __device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) { return __hallmark_make_bf16(u); }
static inline __device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
static inline __device__ __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return {a.y, a.x}; }
static inline __device__ __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
static inline __device__ __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
static inline __device__ __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
static inline __device__ __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
static inline __device__ int __hisinf(__nv_bfloat16 a) { return a.__x == 0x7f80u ? 1 : a.__x == 0xff80u ? -1 : 0; }
