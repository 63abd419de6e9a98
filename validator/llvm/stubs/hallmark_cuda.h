// What Clang sees instead of the CUDA headers: declarations only, so that every device function arrives in the
// IR as a call with a name that the reader knows. Written from the CUDA C++ Programming Guide 13.0, sections 7
// and 10, and the CUDA Math API.
#pragma once
#pragma clang system_header

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define CUDART_INF_F __builtin_huge_valf()
#define CUDART_NAN_F __builtin_nanf("")
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VAL __builtin_huge_val()
#define warpSize 32
// nvcc includes stddef.h and string.h before every file too.
#define NULL __null

// nvcc includes limits.h and math.h before every file.
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (__INT_MAX__ * 2U + 1U)
#define LONG_MAX __LONG_MAX__
#define LONG_MIN (-__LONG_MAX__ - 1L)
#define ULONG_MAX (__LONG_MAX__ * 2UL + 1UL)
#define LLONG_MAX __LONG_LONG_MAX__
#define LLONG_MIN (-__LONG_LONG_MAX__ - 1LL)
#define ULLONG_MAX (__LONG_LONG_MAX__ * 2ULL + 1ULL)
#define M_PI 3.14159265358979323846
#define M_E 2.7182818284590452354
#define M_SQRT1_2 0.70710678118654752440
#define M_SQRT2 1.41421356237309504880
#define M_LOG2E 1.4426950408889634074
#define M_LN2 0.69314718055994530942
#define M_2_SQRTPI 1.12837916709551257390
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_LN10 2.30258509299404568402
#define M_LOG10E 0.43429448190325182765
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define RAND_MAX 2147483647

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
extern "C" __host__ __device__ void* memcpy(void*, const void*, size_t);
extern "C" __host__ __device__ void* memmove(void*, const void*, size_t);
extern "C" __host__ __device__ void* memset(void*, int, size_t);
namespace std {
using ::memcpy;
using ::memmove;
using ::memset;
using ::ptrdiff_t;
using ::size_t;
}  // namespace std

// --- vector types ---
#define HM_VECTOR1(T, N) \
  struct N##1 {          \
    T x;                 \
  };
#define HM_VECTOR2(T, N, A)                              \
  struct __attribute__((aligned(A))) N##2 { T x, y; };   \
  static inline __host__ __device__ N##2 make_##N##2(T x, T y) { return {x, y}; }
#define HM_VECTOR3(T, N)                                 \
  struct N##3 { T x, y, z; };                            \
  static inline __host__ __device__ N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; }
#define HM_VECTOR4(T, N, A)                              \
  struct __attribute__((aligned(A))) N##4 { T x, y, z, w; }; \
  static inline __host__ __device__ N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define HM_VECTORS(T, N, A2, A4) HM_VECTOR1(T, N) HM_VECTOR2(T, N, A2) HM_VECTOR3(T, N) HM_VECTOR4(T, N, A4)
HM_VECTORS(signed char, char, 2, 4)
HM_VECTORS(unsigned char, uchar, 2, 4)
HM_VECTORS(short, short, 4, 8)
HM_VECTORS(unsigned short, ushort, 4, 8)
HM_VECTORS(int, int, 8, 16)
HM_VECTORS(unsigned int, uint, 8, 16)
HM_VECTORS(long, long, 16, 16)
HM_VECTORS(unsigned long, ulong, 16, 16)
HM_VECTORS(long long, longlong, 16, 16)
HM_VECTORS(unsigned long long, ulonglong, 16, 16)
HM_VECTORS(float, float, 8, 16)
HM_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1) : x(a), y(b), z(c) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
};

// Clang's runtime hooks for <<<...>>> in host code of the same file.
typedef struct CUstream_st* cudaStream_t;
typedef enum cudaError { cudaSuccess = 0 } cudaError_t;
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t);

// --- built-in variables ---
#define HM_SREG(NAME) extern "C" __device__ unsigned int __hallmark_##NAME();
HM_SREG(tid_x)
HM_SREG(tid_y)
HM_SREG(tid_z)
HM_SREG(ntid_x)
HM_SREG(ntid_y)
HM_SREG(ntid_z)
HM_SREG(ctaid_x)
HM_SREG(ctaid_y)
HM_SREG(ctaid_z)
HM_SREG(nctaid_x)
HM_SREG(nctaid_y)
HM_SREG(nctaid_z)
#define HM_BUILTIN(TYPE, VARIABLE, REG)                                                    \
  struct __hallmark_##VARIABLE##_t {                                                       \
    __declspec(property(get = get_x)) unsigned int x;                                      \
    __declspec(property(get = get_y)) unsigned int y;                                      \
    __declspec(property(get = get_z)) unsigned int z;                                      \
    static inline __device__ unsigned int get_x() { return __hallmark_##REG##_x(); }       \
    static inline __device__ unsigned int get_y() { return __hallmark_##REG##_y(); }       \
    static inline __device__ unsigned int get_z() { return __hallmark_##REG##_z(); }       \
    inline __device__ operator dim3() const { return dim3(get_x(), get_y(), get_z()); }    \
    inline __device__ operator uint3() const { return {get_x(), get_y(), get_z()}; }       \
  };                                                                                       \
  extern const __device__ __attribute__((weak)) __hallmark_##VARIABLE##_t VARIABLE;
HM_BUILTIN(uint3, threadIdx, tid)
HM_BUILTIN(dim3, blockDim, ntid)
HM_BUILTIN(uint3, blockIdx, ctaid)
HM_BUILTIN(dim3, gridDim, nctaid)

// --- device functions known by name ---
#define HM_1(R, NAME, A) extern "C" __device__ R NAME(A);
#define HM_2(R, NAME, A, B) extern "C" __device__ R NAME(A, B);
#define HM_3(R, NAME, A, B, C) extern "C" __device__ R NAME(A, B, C);
#define HM_ROUNDED_1(R, STEM, A) HM_1(R, STEM##_rn, A) HM_1(R, STEM##_rz, A) HM_1(R, STEM##_ru, A) HM_1(R, STEM##_rd, A)
#define HM_ROUNDED_2(R, STEM, A, B) \
  HM_2(R, STEM##_rn, A, B) HM_2(R, STEM##_rz, A, B) HM_2(R, STEM##_ru, A, B) HM_2(R, STEM##_rd, A, B)
#define HM_ROUNDED_3(R, STEM, A, B, C) \
  HM_3(R, STEM##_rn, A, B, C) HM_3(R, STEM##_rz, A, B, C) HM_3(R, STEM##_ru, A, B, C) HM_3(R, STEM##_rd, A, B, C)
HM_ROUNDED_2(float, __fadd, float, float)
HM_ROUNDED_2(float, __fsub, float, float)
HM_ROUNDED_2(float, __fmul, float, float)
HM_ROUNDED_2(float, __fdiv, float, float)
HM_ROUNDED_3(float, __fmaf, float, float, float)
HM_ROUNDED_1(float, __fsqrt, float)
HM_ROUNDED_1(float, __frcp, float)
HM_ROUNDED_2(double, __dadd, double, double)
HM_ROUNDED_2(double, __dsub, double, double)
HM_ROUNDED_2(double, __dmul, double, double)
HM_ROUNDED_2(double, __ddiv, double, double)
HM_ROUNDED_3(double, __fma, double, double, double)
HM_ROUNDED_1(double, __dsqrt, double)
HM_ROUNDED_1(double, __drcp, double)
HM_ROUNDED_1(int, __float2int, float)
HM_ROUNDED_1(unsigned int, __float2uint, float)
HM_ROUNDED_1(long long, __float2ll, float)
HM_ROUNDED_1(unsigned long long, __float2ull, float)
HM_ROUNDED_1(int, __double2int, double)
HM_ROUNDED_1(unsigned int, __double2uint, double)
HM_ROUNDED_1(long long, __double2ll, double)
HM_ROUNDED_1(unsigned long long, __double2ull, double)
HM_ROUNDED_1(float, __int2float, int)
HM_ROUNDED_1(float, __uint2float, unsigned int)
HM_ROUNDED_1(float, __ll2float, long long)
HM_ROUNDED_1(float, __ull2float, unsigned long long)
HM_ROUNDED_1(double, __ll2double, long long)
HM_ROUNDED_1(double, __ull2double, unsigned long long)
HM_ROUNDED_1(float, __double2float, double)
HM_1(double, __int2double_rn, int)
HM_1(double, __uint2double_rn, unsigned int)
HM_1(int, __float_as_int, float)
HM_1(unsigned int, __float_as_uint, float)
HM_1(float, __int_as_float, int)
HM_1(float, __uint_as_float, unsigned int)
HM_1(long long, __double_as_longlong, double)
HM_1(double, __longlong_as_double, long long)
HM_1(float, __saturatef, float)

// Integers, and operands of two types, are doubles (C++ [cmath.syn]).
template <bool Condition> struct __hallmark_double_if {};
template <> struct __hallmark_double_if<true> { typedef double type; };
template <class A, class B> struct __hallmark_mixed {
  static constexpr bool value = __is_arithmetic(A) && __is_arithmetic(B) &&
                                !(__is_same(A, float) && __is_same(B, float)) &&
                                !(__is_same(A, double) && __is_same(B, double));
};
template <class A> struct __hallmark_integer {
  static constexpr bool value = __is_integral(A);
};
#define HM_MATH_1(NAME) HM_1(float, NAME##f, float) HM_1(double, NAME, double) \
  static inline __device__ float NAME(float a) { return NAME##f(a); } \
  template <class A> static inline __device__ typename __hallmark_double_if<__hallmark_integer<A>::value>::type NAME(A a) { \
    return NAME((double)a); \
  }
#define HM_MATH_2(NAME) HM_2(float, NAME##f, float, float) HM_2(double, NAME, double, double) \
  static inline __device__ float NAME(float a, float b) { return NAME##f(a, b); } \
  template <class A, class B> \
  static inline __device__ typename __hallmark_double_if<__hallmark_mixed<A, B>::value>::type NAME(A a, B b) { \
    return NAME((double)a, (double)b); \
  }
HM_MATH_1(sqrt)
HM_MATH_1(rsqrt)
HM_MATH_1(cbrt)
HM_MATH_1(fabs)
HM_MATH_1(floor)
HM_MATH_1(ceil)
HM_MATH_1(trunc)
HM_MATH_1(rint)
HM_MATH_1(nearbyint)
HM_MATH_1(round)
HM_MATH_1(exp)
HM_MATH_1(exp2)
HM_MATH_1(exp10)
HM_MATH_1(expm1)
HM_MATH_1(log)
HM_MATH_1(log2)
HM_MATH_1(log10)
HM_MATH_1(log1p)
HM_MATH_1(sin)
HM_MATH_1(cos)
HM_MATH_1(tan)
HM_MATH_1(asin)
HM_MATH_1(acos)
HM_MATH_1(atan)
HM_MATH_1(sinh)
HM_MATH_1(cosh)
HM_MATH_1(tanh)
HM_MATH_1(asinh)
HM_MATH_1(acosh)
HM_MATH_1(atanh)
HM_MATH_1(erf)
HM_MATH_1(erfc)
HM_MATH_1(erfcx)
HM_MATH_1(erfinv)
HM_MATH_1(erfcinv)
HM_MATH_1(normcdf)
HM_MATH_1(normcdfinv)
HM_MATH_1(tgamma)
HM_MATH_1(lgamma)
HM_MATH_1(sinpi)
HM_MATH_1(cospi)
HM_MATH_1(rcbrt)
HM_MATH_1(logb)
HM_MATH_2(fmax)
HM_MATH_2(fmin)
HM_MATH_2(fmod)
HM_MATH_2(pow)
HM_MATH_2(atan2)
HM_MATH_2(hypot)
HM_MATH_2(copysign)
HM_MATH_2(fdim)
HM_MATH_2(remainder)
HM_3(float, fmaf, float, float, float)
HM_3(double, fma, double, double, double)
static inline __device__ float fma(float a, float b, float c) { return fmaf(a, b, c); }
HM_2(float, fdividef, float, float)
HM_2(float, __fdividef, float, float)
HM_1(float, __frsqrt_rn, float)
HM_1(float, __expf, float)
HM_1(float, __exp10f, float)
HM_1(float, __logf, float)
HM_1(float, __log2f, float)
HM_1(float, __log10f, float)
HM_1(float, __sinf, float)
HM_1(float, __cosf, float)
HM_1(float, __tanf, float)
HM_2(float, __powf, float, float)
HM_1(bool, __hallmark_is_nan_f32, float)
HM_1(bool, __hallmark_is_nan_f64, double)
HM_1(bool, __hallmark_is_inf_f32, float)
HM_1(bool, __hallmark_is_inf_f64, double)
HM_1(bool, __hallmark_is_finite_f32, float)
HM_1(bool, __hallmark_is_finite_f64, double)
static inline __device__ bool isnan(float a) { return __hallmark_is_nan_f32(a); }
static inline __device__ bool isnan(double a) { return __hallmark_is_nan_f64(a); }
static inline __device__ bool isinf(float a) { return __hallmark_is_inf_f32(a); }
static inline __device__ bool isinf(double a) { return __hallmark_is_inf_f64(a); }
static inline __device__ bool isfinite(float a) { return __hallmark_is_finite_f32(a); }
static inline __device__ bool isfinite(double a) { return __hallmark_is_finite_f64(a); }

HM_2(int, __mulhi, int, int)
HM_2(unsigned int, __umulhi, unsigned int, unsigned int)
HM_2(long long, __mul64hi, long long, long long)
HM_2(unsigned long long, __umul64hi, unsigned long long, unsigned long long)
HM_1(int, __popc, unsigned int)
HM_1(int, __popcll, unsigned long long)
HM_1(int, __clz, int)
HM_1(int, __clzll, long long)
HM_1(unsigned int, __brev, unsigned int)
HM_1(unsigned long long, __brevll, unsigned long long)
HM_3(unsigned int, __byte_perm, unsigned int, unsigned int, unsigned int)
HM_3(unsigned int, __funnelshift_l, unsigned int, unsigned int, unsigned int)
HM_3(unsigned int, __funnelshift_lc, unsigned int, unsigned int, unsigned int)
HM_3(unsigned int, __funnelshift_r, unsigned int, unsigned int, unsigned int)
HM_3(unsigned int, __funnelshift_rc, unsigned int, unsigned int, unsigned int)
HM_2(int, __hallmark_min_s32, int, int)
HM_2(unsigned int, __hallmark_min_u32, unsigned int, unsigned int)
HM_2(long long, __hallmark_min_s64, long long, long long)
HM_2(unsigned long long, __hallmark_min_u64, unsigned long long, unsigned long long)
HM_2(int, __hallmark_max_s32, int, int)
HM_2(unsigned int, __hallmark_max_u32, unsigned int, unsigned int)
HM_2(long long, __hallmark_max_s64, long long, long long)
HM_2(unsigned long long, __hallmark_max_u64, unsigned long long, unsigned long long)
#define HM_MIN_MAX(NAME)                                                                                               \
  static inline __device__ int NAME(int a, int b) { return __hallmark_##NAME##_s32(a, b); }                            \
  static inline __device__ unsigned int NAME(unsigned int a, unsigned int b) { return __hallmark_##NAME##_u32(a, b); } \
  static inline __device__ unsigned int NAME(int a, unsigned int b) { return __hallmark_##NAME##_u32((unsigned)a, b); } \
  static inline __device__ unsigned int NAME(unsigned int a, int b) { return __hallmark_##NAME##_u32(a, (unsigned)b); } \
  static inline __device__ long NAME(long a, long b) { return __hallmark_##NAME##_s64(a, b); }                         \
  static inline __device__ unsigned long NAME(unsigned long a, unsigned long b) { return __hallmark_##NAME##_u64(a, b); } \
  static inline __device__ long long NAME(long long a, long long b) { return __hallmark_##NAME##_s64(a, b); }          \
  static inline __device__ unsigned long long NAME(unsigned long long a, unsigned long long b) {                       \
    return __hallmark_##NAME##_u64(a, b);                                                                              \
  }                                                                                                                    \
  static inline __device__ float NAME(float a, float b) { return f##NAME##f(a, b); }                                   \
  static inline __device__ double NAME(double a, double b) { return f##NAME(a, b); }
HM_MIN_MAX(min)
HM_MIN_MAX(max)
// Dot product of four bytes, added to c modulo 2^32.
static inline __device__ int __dp4a(int a, int b, int c) {
  unsigned int sum = (unsigned int)c;
  for (int i = 0; i < 4; ++i)
    sum += (unsigned int)((int)(signed char)((unsigned int)a >> (8 * i)) * (int)(signed char)((unsigned int)b >> (8 * i)));
  return (int)sum;
}
static inline __device__ unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 255u) * (b >> (8 * i) & 255u);
  return c;
}
// abs(INT_MIN) is undefined in C++, and so it is here.
static inline __device__ int abs(int a) { return a < 0 ? -a : a; }
static inline __device__ long abs(long a) { return a < 0 ? -a : a; }
static inline __device__ long long abs(long long a) { return a < 0 ? -a : a; }
static inline __device__ float abs(float a) { return fabsf(a); }
static inline __device__ double abs(double a) { return fabs(a); }

#include "integer_intrinsics.h"

// --- synchronisation, warps ---
extern "C" __device__ void __syncthreads();
extern "C" __device__ int __syncthreads_count(int);
extern "C" __device__ int __syncthreads_and(int);
extern "C" __device__ int __syncthreads_or(int);
extern "C" __device__ int printf(const char*, ...);
extern "C" __device__ long clock();
extern "C" __device__ long long clock64();
extern "C" __device__ void __nanosleep(unsigned int);
extern "C" __device__ size_t __cvta_generic_to_shared(const void*);
extern "C" __device__ void __hallmark_syncwarp(unsigned int);
static inline __device__ void __syncwarp(unsigned int mask = 0xffffffffu) { __hallmark_syncwarp(mask); }
extern "C" __device__ void __threadfence_block();
extern "C" __device__ void __threadfence();
extern "C" __device__ void __threadfence_system();
extern "C" __device__ unsigned int __activemask();
extern "C" __device__ int __hallmark_any_sync(unsigned int, bool);
extern "C" __device__ int __hallmark_all_sync(unsigned int, bool);
extern "C" __device__ unsigned int __hallmark_ballot_sync(unsigned int, bool);
static inline __device__ int __any_sync(unsigned int mask, int p) { return __hallmark_any_sync(mask, p != 0); }
static inline __device__ int __all_sync(unsigned int mask, int p) { return __hallmark_all_sync(mask, p != 0); }
static inline __device__ unsigned int __ballot_sync(unsigned int mask, int p) {
  return __hallmark_ballot_sync(mask, p != 0);
}
// (mask, value, lane, clamp); the clamp operand is PTX's c: segment mask << 8 | clamp.
#define HM_SHUFFLE(NAME, CLAMP)                                                                                         \
  extern "C" __device__ unsigned int __hallmark_shfl_##NAME##_u32(unsigned int, unsigned int, unsigned int, unsigned int); \
  extern "C" __device__ float __hallmark_shfl_##NAME##_f32(unsigned int, float, unsigned int, unsigned int);            \
  static inline __device__ unsigned int __hallmark_shuffle_##NAME(unsigned int m, unsigned int v, unsigned int l, int w) { \
    return __hallmark_shfl_##NAME##_u32(m, v, l, ((32u - (unsigned)w) << 8) | CLAMP);                                   \
  }
HM_SHUFFLE(idx, 31u)
HM_SHUFFLE(up, 0u)
HM_SHUFFLE(down, 31u)
HM_SHUFFLE(bfly, 31u)
#define HM_SHUFFLE_TYPES(NAME, MODE, LANE, CLAMP)                                                                      \
  static inline __device__ unsigned int NAME(unsigned int m, unsigned int v, LANE l, int w = 32) {                     \
    return __hallmark_shuffle_##MODE(m, v, (unsigned)l, w);                                                            \
  }                                                                                                                    \
  static inline __device__ int NAME(unsigned int m, int v, LANE l, int w = 32) {                                       \
    return (int)__hallmark_shuffle_##MODE(m, (unsigned)v, (unsigned)l, w);                                             \
  }                                                                                                                    \
  static inline __device__ float NAME(unsigned int m, float v, LANE l, int w = 32) {                                   \
    return __hallmark_shfl_##MODE##_f32(m, v, (unsigned)l, ((32u - (unsigned)w) << 8) | CLAMP);                        \
  }                                                                                                                    \
  static inline __device__ unsigned long long NAME(unsigned int m, unsigned long long v, LANE l, int w = 32) {         \
    unsigned int low = __hallmark_shuffle_##MODE(m, (unsigned)v, (unsigned)l, w);                                      \
    unsigned int high = __hallmark_shuffle_##MODE(m, (unsigned)(v >> 32), (unsigned)l, w);                             \
    return ((unsigned long long)high << 32) | low;                                                                     \
  }                                                                                                                    \
  static inline __device__ long long NAME(unsigned int m, long long v, LANE l, int w = 32) {                           \
    return (long long)NAME(m, (unsigned long long)v, l, w);                                                            \
  }                                                                                                                    \
  static inline __device__ double NAME(unsigned int m, double v, LANE l, int w = 32) {                                 \
    return __longlong_as_double((long long)NAME(m, (unsigned long long)__double_as_longlong(v), l, w));                \
  }
HM_SHUFFLE_TYPES(__shfl_sync, idx, int, 31u)
HM_SHUFFLE_TYPES(__shfl_up_sync, up, unsigned int, 0u)
HM_SHUFFLE_TYPES(__shfl_down_sync, down, unsigned int, 31u)
HM_SHUFFLE_TYPES(__shfl_xor_sync, bfly, int, 31u)
HM_2(unsigned int, __match_any_sync, unsigned int, unsigned int)
#define HM_REDUCE(NAME, T, SUFFIX)                                        \
  extern "C" __device__ T __hallmark_reduce_##NAME##_##SUFFIX(unsigned int, T); \
  static inline __device__ T __reduce_##NAME##_sync(unsigned int m, T v) { return __hallmark_reduce_##NAME##_##SUFFIX(m, v); }
HM_REDUCE(add, unsigned int, u32)
HM_REDUCE(add, int, s32)
HM_REDUCE(min, unsigned int, u32)
HM_REDUCE(min, int, s32)
HM_REDUCE(max, unsigned int, u32)
HM_REDUCE(max, int, s32)
HM_REDUCE(and, unsigned int, u32)
HM_REDUCE(or, unsigned int, u32)
HM_REDUCE(xor, unsigned int, u32)

// --- memory ---
// Marks a pointer whose loads go through the read-only path.
extern "C" __device__ const void* __hallmark_non_coherent(const void*);
template <class T>
static inline __device__ T __ldg(const T* p) {
  return *static_cast<const T*>(__hallmark_non_coherent(p));
}
// Cache hints change no value.
#define HM_CACHED(NAME) \
  template <class T> static inline __device__ T NAME(const T* p) { return *p; }
HM_CACHED(__ldca)
HM_CACHED(__ldcg)
HM_CACHED(__ldcs)
HM_CACHED(__ldlu)
#define HM_CACHED_STORE(NAME) \
  template <class T> static inline __device__ void NAME(T* p, T v) { *p = v; }
HM_CACHED_STORE(__stwb)
HM_CACHED_STORE(__stcg)
HM_CACHED_STORE(__stcs)
HM_CACHED_STORE(__stwt)
// Without a suffix the scope is the device.
#define HM_SCOPED_ATOMIC(NAME, SCOPED, OP, T, SUFFIX)                      \
  extern "C" __device__ T __hallmark_##SCOPED##_##OP##_##SUFFIX(T*, T);    \
  static inline __device__ T NAME(T* p, T v) { return __hallmark_##SCOPED##_##OP##_##SUFFIX(p, v); }
#define HM_ATOMIC(NAME, OP, T, SUFFIX)                            \
  HM_SCOPED_ATOMIC(NAME, atomic, OP, T, SUFFIX)                   \
  HM_SCOPED_ATOMIC(NAME##_block, block_atomic, OP, T, SUFFIX)     \
  HM_SCOPED_ATOMIC(NAME##_system, system_atomic, OP, T, SUFFIX)
HM_ATOMIC(atomicAdd, add, int, s32)
HM_ATOMIC(atomicAdd, add, unsigned int, u32)
HM_ATOMIC(atomicAdd, add, unsigned long long, u64)
HM_ATOMIC(atomicAdd, add, float, f32)
HM_ATOMIC(atomicAdd, add, double, f64)
#define HM_ATOMIC_SUB(SCOPE)                                                                                     \
  static inline __device__ int atomicSub##SCOPE(int* p, int v) { return atomicAdd##SCOPE(p, (int)(0u - (unsigned)v)); } \
  static inline __device__ unsigned int atomicSub##SCOPE(unsigned int* p, unsigned int v) { return atomicAdd##SCOPE(p, 0u - v); }
HM_ATOMIC_SUB()
HM_ATOMIC_SUB(_block)
HM_ATOMIC_SUB(_system)
HM_ATOMIC(atomicExch, exch, int, s32)
HM_ATOMIC(atomicExch, exch, unsigned int, u32)
HM_ATOMIC(atomicExch, exch, unsigned long long, u64)
HM_ATOMIC(atomicExch, exch, float, f32)
HM_ATOMIC(atomicMin, min, int, s32)
HM_ATOMIC(atomicMin, min, unsigned int, u32)
HM_ATOMIC(atomicMin, min, long long, s64)
HM_ATOMIC(atomicMin, min, unsigned long long, u64)
HM_ATOMIC(atomicMax, max, int, s32)
HM_ATOMIC(atomicMax, max, unsigned int, u32)
HM_ATOMIC(atomicMax, max, long long, s64)
HM_ATOMIC(atomicMax, max, unsigned long long, u64)
HM_ATOMIC(atomicInc, inc, unsigned int, u32)
HM_ATOMIC(atomicDec, dec, unsigned int, u32)
HM_ATOMIC(atomicAnd, and, int, s32)
HM_ATOMIC(atomicAnd, and, unsigned int, u32)
HM_ATOMIC(atomicAnd, and, unsigned long long, u64)
HM_ATOMIC(atomicOr, or, int, s32)
HM_ATOMIC(atomicOr, or, unsigned int, u32)
HM_ATOMIC(atomicOr, or, unsigned long long, u64)
HM_ATOMIC(atomicXor, xor, int, s32)
HM_ATOMIC(atomicXor, xor, unsigned int, u32)
HM_ATOMIC(atomicXor, xor, unsigned long long, u64)
#define HM_SCOPED_CAS(NAME, SCOPED, T, SUFFIX)                            \
  extern "C" __device__ T __hallmark_##SCOPED##_cas_##SUFFIX(T*, T, T);   \
  static inline __device__ T NAME(T* p, T c, T v) { return __hallmark_##SCOPED##_cas_##SUFFIX(p, c, v); }
#define HM_CAS(T, SUFFIX)                          \
  HM_SCOPED_CAS(atomicCAS, atomic, T, SUFFIX)      \
  HM_SCOPED_CAS(atomicCAS_block, block_atomic, T, SUFFIX) \
  HM_SCOPED_CAS(atomicCAS_system, system_atomic, T, SUFFIX)
HM_CAS(int, s32)
HM_CAS(unsigned int, u32)
HM_CAS(unsigned long long, u64)
extern "C" __device__ __attribute__((noreturn)) void __trap();
