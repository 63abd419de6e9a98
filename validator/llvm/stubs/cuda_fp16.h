// half: the type and the functions that the reader knows, on the 16 bits of the encoding. CUDA Math API, 2.
#pragma once
#pragma clang system_header
#include "hallmark_cuda.h"

// From integers by HM_INTEGERS, which each type defines: what is exact in one format is not in the other.
#define HM_HALF_TYPES(T, T2, S, RAW)                                                          \
  struct __attribute__((aligned(2))) T;                                                       \
  extern "C" __device__ unsigned short __hallmark_##S##_from_f32(float);                      \
  extern "C" __device__ unsigned short __hallmark_##S##_from_f64(double);                     \
  extern "C" __device__ float __hallmark_##S##_to_f32(unsigned short);                        \
  struct __attribute__((aligned(2))) T {                                                      \
    unsigned short __x;                                                                       \
    T() = default;                                                                            \
    __device__ T(float f) : __x(__hallmark_##S##_from_f32(f)) {}                              \
    __device__ T(double f) : __x(__hallmark_##S##_from_f64(f)) {}                             \
    HM_INTEGERS(T)                                                                            \
    __device__ operator float() const { return __hallmark_##S##_to_f32(__x); }                \
  };                                                                                          \
  struct __attribute__((aligned(4))) T2 {                                                     \
    T x, y;                                                                                   \
    T2() = default;                                                                           \
    __device__ T2(T a, T b) : x(a), y(b) {}                                                   \
  };                                                                                          \
  static inline __device__ T __hallmark_make_##S(unsigned short bits) {                       \
    T r;                                                                                      \
    r.__x = bits;                                                                             \
    return r;                                                                                 \
  }
#define HM_HALF_2(T, T2, S, NAME, OP)                                                         \
  extern "C" __device__ unsigned short __hallmark_##S##_##OP(unsigned short, unsigned short); \
  static inline __device__ T NAME(T a, T b) { return __hallmark_make_##S(__hallmark_##S##_##OP(a.__x, b.__x)); } \
  static inline __device__ T2 NAME##2(T2 a, T2 b) { return {NAME(a.x, b.x), NAME(a.y, b.y)}; }
#define HM_HALF_3(T, T2, S, NAME, OP)                                                         \
  extern "C" __device__ unsigned short __hallmark_##S##_##OP(unsigned short, unsigned short, unsigned short); \
  static inline __device__ T NAME(T a, T b, T c) {                                            \
    return __hallmark_make_##S(__hallmark_##S##_##OP(a.__x, b.__x, c.__x));                   \
  }                                                                                           \
  static inline __device__ T2 NAME##2(T2 a, T2 b, T2 c) { return {NAME(a.x, b.x, c.x), NAME(a.y, b.y, c.y)}; }
#define HM_HALF_1(T, T2, S, NAME, OP)                                                         \
  extern "C" __device__ unsigned short __hallmark_##S##_##OP(unsigned short);                 \
  static inline __device__ T NAME(T a) { return __hallmark_make_##S(__hallmark_##S##_##OP(a.__x)); } \
  static inline __device__ T2 NAME##2(T2 a) { return {NAME(a.x), NAME(a.y)}; }
#define HM_HALF_COMPARE(T, S, NAME, OP)                                                       \
  extern "C" __device__ bool __hallmark_##S##_##OP(unsigned short, unsigned short);           \
  static inline __device__ bool NAME(T a, T b) { return __hallmark_##S##_##OP(a.__x, b.__x); }
// Operators round each step in the format, as the functions do; a quotient has no specified bits.
#define HM_HALF_OPERATOR(T, T2, S, SIGN, NAME)                                                \
  static inline __device__ T operator SIGN(const T& a, const T& b) { return NAME(a, b); }     \
  static inline __device__ T& operator SIGN##=(T& a, const T& b) { return a = NAME(a, b); }   \
  static inline __device__ T2 operator SIGN(const T2& a, const T2& b) { return {NAME(a.x, b.x), NAME(a.y, b.y)}; } \
  static inline __device__ T2& operator SIGN##=(T2& a, const T2& b) { return a = a SIGN b; }
#define HM_HALF_ORDER(T, SIGN, NAME) \
  static inline __device__ bool operator SIGN(const T& a, const T& b) { return NAME(a, b); }
#define HM_HALF_OPERATORS(T, T2, S)                                             \
  HM_HALF_OPERATOR(T, T2, S, +, __hadd)                                         \
  HM_HALF_OPERATOR(T, T2, S, -, __hsub)                                         \
  HM_HALF_OPERATOR(T, T2, S, *, __hmul)                                         \
  HM_HALF_OPERATOR(T, T2, S, /, __hdiv)                                         \
  HM_HALF_ORDER(T, ==, __heq)                                                   \
  HM_HALF_ORDER(T, !=, __hallmark_##S##_unequal)                                \
  HM_HALF_ORDER(T, <, __hlt)                                                    \
  HM_HALF_ORDER(T, <=, __hle)                                                   \
  HM_HALF_ORDER(T, >, __hgt)                                                    \
  HM_HALF_ORDER(T, >=, __hge)                                                   \
  static inline __device__ T operator-(const T& a) { return __hneg(a); }        \
  static inline __device__ T operator+(const T& a) { return a; }
// A comparison of pairs: 1 or 0 for each; all bits or none; whether both hold.
#define HM_HALF_COMPARE_PAIRS(T, T2, S, NAME)                                                           \
  static inline __device__ T2 __h##NAME##2(T2 a, T2 b) {                                                \
    return {T(__h##NAME(a.x, b.x) ? 1.0f : 0.0f), T(__h##NAME(a.y, b.y) ? 1.0f : 0.0f)};                \
  }                                                                                                     \
  static inline __device__ unsigned int __h##NAME##2_mask(T2 a, T2 b) {                                 \
    return (__h##NAME(a.x, b.x) ? 0xffffu : 0u) | (__h##NAME(a.y, b.y) ? 0xffff0000u : 0u);             \
  }                                                                                                     \
  static inline __device__ bool __hb##NAME##2(T2 a, T2 b) { return __h##NAME(a.x, b.x) && __h##NAME(a.y, b.y); }
#define HM_HALF_COMPARISONS(T, T2, S)            \
  HM_HALF_COMPARE(T, S, __heq, eq)               \
  HM_HALF_COMPARE(T, S, __hne, ne)               \
  HM_HALF_COMPARE(T, S, __hlt, lt)               \
  HM_HALF_COMPARE(T, S, __hle, le)               \
  HM_HALF_COMPARE(T, S, __hgt, gt)               \
  HM_HALF_COMPARE(T, S, __hge, ge)               \
  HM_HALF_COMPARE(T, S, __hequ, equ)             \
  HM_HALF_COMPARE(T, S, __hneu, neu)             \
  HM_HALF_COMPARE(T, S, __hltu, ltu)             \
  HM_HALF_COMPARE(T, S, __hleu, leu)             \
  HM_HALF_COMPARE(T, S, __hgtu, gtu)             \
  HM_HALF_COMPARE(T, S, __hgeu, geu)             \
  HM_HALF_COMPARE_PAIRS(T, T2, S, eq)            \
  HM_HALF_COMPARE_PAIRS(T, T2, S, ne)            \
  HM_HALF_COMPARE_PAIRS(T, T2, S, lt)            \
  HM_HALF_COMPARE_PAIRS(T, T2, S, le)            \
  HM_HALF_COMPARE_PAIRS(T, T2, S, gt)            \
  HM_HALF_COMPARE_PAIRS(T, T2, S, ge)            \
  HM_HALF_COMPARE_PAIRS(T, T2, S, equ)           \
  HM_HALF_COMPARE_PAIRS(T, T2, S, neu)           \
  HM_HALF_COMPARE_PAIRS(T, T2, S, ltu)           \
  HM_HALF_COMPARE_PAIRS(T, T2, S, leu)           \
  HM_HALF_COMPARE_PAIRS(T, T2, S, gtu)           \
  HM_HALF_COMPARE_PAIRS(T, T2, S, geu)
#define HM_HALF_FUNCTIONS(T, T2, S)              \
  HM_HALF_2(T, T2, S, __hadd, add)               \
  HM_HALF_2(T, T2, S, __hsub, sub)               \
  HM_HALF_2(T, T2, S, __hmul, mul)               \
  HM_HALF_2(T, T2, S, __hdiv, div)               \
  HM_HALF_2(T, T2, S, __hmax, max)               \
  HM_HALF_2(T, T2, S, __hmin, min)               \
  HM_HALF_3(T, T2, S, __hfma, fma)               \
  HM_HALF_1(T, T2, S, __hneg, neg)               \
  HM_HALF_1(T, T2, S, __habs, abs)               \
  HM_HALF_2(T, T2, S, __hmax_nan, maxnan)        \
  HM_HALF_2(T, T2, S, __hmin_nan, minnan)        \
  HM_HALF_COMPARISONS(T, T2, S)                  \
  extern "C" __device__ unsigned short __hallmark_##S##_add_rn(unsigned short, unsigned short); \
  extern "C" __device__ unsigned short __hallmark_##S##_sub_rn(unsigned short, unsigned short); \
  extern "C" __device__ unsigned short __hallmark_##S##_mul_rn(unsigned short, unsigned short); \
  static inline __device__ T __hadd_rn(T a, T b) { return __hallmark_make_##S(__hallmark_##S##_add_rn(a.__x, b.__x)); } \
  static inline __device__ T __hsub_rn(T a, T b) { return __hallmark_make_##S(__hallmark_##S##_sub_rn(a.__x, b.__x)); } \
  static inline __device__ T __hmul_rn(T a, T b) { return __hallmark_make_##S(__hallmark_##S##_mul_rn(a.__x, b.__x)); } \
  static inline __device__ bool __hallmark_##S##_unequal(T a, T b) { return !__heq(a, b); }   \
  static inline __device__ bool __hisnan(T a) { return !__heq(a, a); }                        \
  static inline __device__ T2 __hmax2_nan(T2 a, T2 b) { return __hmax_nan2(a, b); }           \
  static inline __device__ T2 __hmin2_nan(T2 a, T2 b) { return __hmin_nan2(a, b); }           \
  static inline __device__ T2 __hisnan2(T2 a) { return __hneu2(a, a); }                       \
  HM_HALF_OPERATORS(T, T2, S)

// Through float: correctly rounded, because an integer that float rounds is beyond half's finite range.
#define HM_INTEGERS(T)                                        \
  __device__ T(int i) : T(__int2float_rn(i)) {}               \
  __device__ T(unsigned int i) : T(__uint2float_rn(i)) {}     \
  __device__ T(short i) : T((float)i) {}                      \
  __device__ T(unsigned short i) : T((float)i) {}
HM_HALF_TYPES(__half, __half2, f16, __half_raw)
HM_HALF_FUNCTIONS(__half, __half2, f16)
typedef __half half;
typedef __half2 half2;
static inline __device__ __half __float2half(float f) { return __half(f); }
static inline __device__ __half __float2half_rn(float f) { return __half(f); }
// The other directions: of T by its encoding S.
#define HM_HALF_DIRECTED(T, S, NAME, DIRECTION)                                      \
  extern "C" __device__ unsigned short __hallmark_##S##_from_f32_##DIRECTION(float); \
  static inline __device__ T NAME##_##DIRECTION(float f) { return __hallmark_make_##S(__hallmark_##S##_from_f32_##DIRECTION(f)); }
HM_HALF_DIRECTED(__half, f16, __float2half, rz)
HM_HALF_DIRECTED(__half, f16, __float2half, ru)
HM_HALF_DIRECTED(__half, f16, __float2half, rd)
// Every half is a float, so that one rounding is all there is.
static inline __device__ int __half2int_rn(__half h) { return __float2int_rn(__hallmark_f16_to_f32(h.__x)); }
static inline __device__ int __half2int_rz(__half h) { return __float2int_rz(__hallmark_f16_to_f32(h.__x)); }
static inline __device__ int __half2int_ru(__half h) { return __float2int_ru(__hallmark_f16_to_f32(h.__x)); }
static inline __device__ int __half2int_rd(__half h) { return __float2int_rd(__hallmark_f16_to_f32(h.__x)); }
static inline __device__ __half __short_as_half(short u) { return __hallmark_make_f16((unsigned short)u); }
static inline __device__ short __half_as_short(__half h) { return (short)h.__x; }
static inline __device__ __half __double2half(double f) { return __half(f); }
static inline __device__ __half __int2half_rn(int i) { return __half(__int2float_rn(i)); }
static inline __device__ __half __uint2half_rn(unsigned int i) { return __half(__uint2float_rn(i)); }
static inline __device__ float __half2float(__half h) { return __hallmark_f16_to_f32(h.__x); }
static inline __device__ __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
static inline __device__ __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
static inline __device__ __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
static inline __device__ __half2 make_half2(__half a, __half b) { return {a, b}; }
static inline __device__ __half2 __halves2half2(__half a, __half b) { return {a, b}; }
static inline __device__ __half2 __half2half2(__half a) { return {a, a}; }
static inline __device__ __half __low2half(__half2 a) { return a.x; }
static inline __device__ __half __high2half(__half2 a) { return a.y; }
static inline __device__ float __low2float(__half2 a) { return __half2float(a.x); }
static inline __device__ float __high2float(__half2 a) { return __half2float(a.y); }
static inline __device__ float2 __half22float2(__half2 a) { return {__half2float(a.x), __half2float(a.y)}; }
static inline __device__ __half __ushort_as_half(unsigned short u) { return __hallmark_make_f16(u); }
static inline __device__ unsigned short __half_as_ushort(__half h) { return h.__x; }
static inline __device__ __half2 __lowhigh2highlow(__half2 a) { return {a.y, a.x}; }
static inline __device__ __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
static inline __device__ __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
static inline __device__ __half2 __low2half2(__half2 a) { return {a.x, a.x}; }
static inline __device__ __half2 __high2half2(__half2 a) { return {a.y, a.y}; }
static inline __device__ int __hisinf(__half a) {
  return a.__x == 0x7c00u ? 1 : a.__x == 0xfc00u ? -1 : 0;
}
// Every half is a float, and so is every integral value near it.
static inline __device__ __half hfloor(__half a) { return __half(floorf(__half2float(a))); }
static inline __device__ __half hceil(__half a) { return __half(ceilf(__half2float(a))); }
static inline __device__ __half htrunc(__half a) { return __half(truncf(__half2float(a))); }
static inline __device__ __half hrint(__half a) { return __half(rintf(__half2float(a))); }
