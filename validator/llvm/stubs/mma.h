// Matrix fragments of <mma.h> (CUDA C++ Programming Guide 13.0, 10.24) by the instructions that nvcc makes of
// them (PTX ISA 9.0, 9.7.15.4). A fragment holds as many elements as nvcc's; which of the tile they are is not
// specified.
#pragma once
#pragma clang system_header
#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}

// Declared alone: a combination that is not below is not read.
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment;

template <class T, class S, int count> struct __hallmark_fragment {
  typedef T element_type;
  typedef S storage_element_type;
  enum { num_elements = count, num_storage_elements = count };
  __attribute__((aligned(4))) S x[count];
  __device__ unsigned* registers() { return reinterpret_cast<unsigned*>(x); }
  __device__ const unsigned* registers() const { return reinterpret_cast<const unsigned*>(x); }
};

template <class T, class S, int count, class V>
__device__ inline void fill_fragment(__hallmark_fragment<T, S, count>& f, const V& value) {
  for (int i = 0; i < count; ++i) f.x[i] = static_cast<S>(value);
}

__device__ inline float __float_to_tf32(float value) {
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(value));
  return __uint_as_float(rounded);
}

// Products of bytes that stop at the greatest number instead of wrapping: declared alone.
extern "C" __device__ void __hallmark_wmma_satfinite();

// Lists of registers by name: their text, and their operands.
#define __HALLMARK_TEXT_1(x) "{%[" #x "0]}"
#define __HALLMARK_TEXT_2(x) "{%[" #x "0],%[" #x "1]}"
#define __HALLMARK_TEXT_4(x) "{%[" #x "0],%[" #x "1],%[" #x "2],%[" #x "3]}"
#define __HALLMARK_TEXT_8(x) \
  "{%[" #x "0],%[" #x "1],%[" #x "2],%[" #x "3],%[" #x "4],%[" #x "5],%[" #x "6],%[" #x "7]}"
#define __HALLMARK_LIST_1(c, x, r) [x##0] c((r)[0])
#define __HALLMARK_LIST_2(c, x, r) __HALLMARK_LIST_1(c, x, r), [x##1] c((r)[1])
#define __HALLMARK_LIST_4(c, x, r) __HALLMARK_LIST_2(c, x, r), [x##2] c((r)[2]), [x##3] c((r)[3])
#define __HALLMARK_LIST_8(c, x, r) \
  __HALLMARK_LIST_4(c, x, r), [x##4] c((r)[4]), [x##5] c((r)[5]), [x##6] c((r)[6]), [x##7] c((r)[7])
#define __HALLMARK_SHAPE(M, N, K) ".m" #M "n" #N "k" #K "."

// A or B in `n` registers, in both layouts.
#define __HALLMARK_FACTOR_OF(use, M, N, K, T, S, type, n, layout)                                         \
  template <> struct fragment<matrix_##use, M, N, K, T, layout##_major>                                   \
      : __hallmark_fragment<T, S, n * 4 / sizeof(S)> {};                                                  \
  __device__ inline void load_matrix_sync(fragment<matrix_##use, M, N, K, T, layout##_major>& f,          \
                                          const S* from, unsigned stride) {                               \
    asm volatile("wmma.load." #use ".sync.aligned." #layout __HALLMARK_SHAPE(M, N, K) type " "            \
                 __HALLMARK_TEXT_##n(d) ", [%[from]], %[stride];"                                         \
                 : __HALLMARK_LIST_##n("=r", d, f.registers())                                            \
                 : [from] "l"(from), [stride] "r"(stride)                                                 \
                 : "memory");                                                                             \
  }
#define __HALLMARK_FACTOR(use, M, N, K, T, S, type, n)           \
  __HALLMARK_FACTOR_OF(use, M, N, K, T, S, type, n, row)         \
  __HALLMARK_FACTOR_OF(use, M, N, K, T, S, type, n, col)

#define __HALLMARK_ACCESS(op, list, M, N, K, type, layout) \
  "wmma." op ".sync.aligned." layout __HALLMARK_SHAPE(M, N, K) type " " list ", %[stride];"
#define __HALLMARK_LOAD_C(M, N, K, type, n, layout)                                                         \
  asm volatile(__HALLMARK_ACCESS("load.c", __HALLMARK_TEXT_##n(d) ", [%[at]]", M, N, K, type, layout)       \
               : __HALLMARK_LIST_##n("=r", d, f.registers()) : [at] "l"(at), [stride] "r"(stride) : "memory")
#define __HALLMARK_STORE_D(M, N, K, type, n, layout)                                                        \
  asm volatile(__HALLMARK_ACCESS("store.d", "[%[at]], " __HALLMARK_TEXT_##n(d), M, N, K, type, layout)      \
               : : __HALLMARK_LIST_##n("r", d, f.registers()), [at] "l"(at), [stride] "r"(stride) : "memory")
// C and D in `n` registers.
#define __HALLMARK_SUMS(M, N, K, T, type, n)                                                               \
  template <> struct fragment<accumulator, M, N, K, T> : __hallmark_fragment<T, T, n * 4 / sizeof(T)> {};  \
  __device__ inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* at,               \
                                          unsigned stride, layout_t layout) {                              \
    if (layout == mem_row_major)                                                                           \
      __HALLMARK_LOAD_C(M, N, K, type, n, "row");                                                          \
    else                                                                                                   \
      __HALLMARK_LOAD_C(M, N, K, type, n, "col");                                                          \
  }                                                                                                        \
  __device__ inline void store_matrix_sync(T* at, const fragment<accumulator, M, N, K, T>& f,              \
                                           unsigned stride, layout_t layout) {                             \
    if (layout == mem_row_major)                                                                           \
      __HALLMARK_STORE_D(M, N, K, type, n, "row");                                                         \
    else                                                                                                   \
      __HALLMARK_STORE_D(M, N, K, type, n, "col");                                                         \
  }

// D = A B + C with `na` and `nb` registers of A and B and `n` of C and D.
#define __HALLMARK_PRODUCT_OF(M, N, K, T, C, types, na, nb, n, rows, columns)                              \
  __device__ inline void mma_sync(fragment<accumulator, M, N, K, C>& d,                                    \
                                  const fragment<matrix_a, M, N, K, T, rows##_major>& a,                   \
                                  const fragment<matrix_b, M, N, K, T, columns##_major>& b,                \
                                  const fragment<accumulator, M, N, K, C>& c, bool saturate = false) {     \
    if (saturate) __hallmark_wmma_satfinite();                                                             \
    asm("wmma.mma.sync.aligned." #rows "." #columns __HALLMARK_SHAPE(M, N, K) types " "                    \
        __HALLMARK_TEXT_##n(d) ", " __HALLMARK_TEXT_##na(a) ", " __HALLMARK_TEXT_##nb(b) ", "              \
        __HALLMARK_TEXT_##n(c) ";"                                                                         \
        : __HALLMARK_LIST_##n("=r", d, d.registers())                                                      \
        : __HALLMARK_LIST_##na("r", a, a.registers()), __HALLMARK_LIST_##nb("r", b, b.registers()),        \
          __HALLMARK_LIST_##n("r", c, c.registers()));                                                     \
  }
#define __HALLMARK_PRODUCT(M, N, K, T, C, types, na, nb, n)                   \
  __HALLMARK_PRODUCT_OF(M, N, K, T, C, types, na, nb, n, row, row)            \
  __HALLMARK_PRODUCT_OF(M, N, K, T, C, types, na, nb, n, row, col)            \
  __HALLMARK_PRODUCT_OF(M, N, K, T, C, types, na, nb, n, col, row)            \
  __HALLMARK_PRODUCT_OF(M, N, K, T, C, types, na, nb, n, col, col)
#define __HALLMARK_FACTORS(M, N, K, T, S, type, na, nb)  \
  __HALLMARK_FACTOR(a, M, N, K, T, S, type, na)          \
  __HALLMARK_FACTOR(b, M, N, K, T, S, type, nb)

// Of one shape of the 16-bit and 8-bit types, with the registers of A and B of each.
#define __HALLMARK_TILE(M, N, K, half_a, half_b, bfloat_a, bfloat_b, byte_a, byte_b)                        \
  __HALLMARK_SUMS(M, N, K, float, "f32", 8)                                                                 \
  __HALLMARK_SUMS(M, N, K, __half, "f16", 4)                                                                \
  __HALLMARK_SUMS(M, N, K, int, "s32", 8)                                                                   \
  __HALLMARK_FACTORS(M, N, K, __half, __half, "f16", half_a, half_b)                                        \
  __HALLMARK_PRODUCT(M, N, K, __half, float, "f32.f32", half_a, half_b, 8)                                  \
  __HALLMARK_PRODUCT(M, N, K, __half, __half, "f16.f16", half_a, half_b, 4)                                 \
  __HALLMARK_FACTORS(M, N, K, __nv_bfloat16, __nv_bfloat16, "bf16", bfloat_a, bfloat_b)                     \
  __HALLMARK_PRODUCT(M, N, K, __nv_bfloat16, float, "f32.bf16.bf16.f32", bfloat_a, bfloat_b, 8)             \
  __HALLMARK_FACTORS(M, N, K, signed char, signed char, "s8", byte_a, byte_b)                               \
  __HALLMARK_PRODUCT(M, N, K, signed char, int, "s32.s8.s8.s32", byte_a, byte_b, 8)                         \
  __HALLMARK_FACTORS(M, N, K, unsigned char, unsigned char, "u8", byte_a, byte_b)                           \
  __HALLMARK_PRODUCT(M, N, K, unsigned char, int, "s32.u8.u8.s32", byte_a, byte_b, 8)

__HALLMARK_TILE(16, 16, 16, 8, 8, 4, 4, 2, 2)
__HALLMARK_TILE(32, 8, 16, 8, 8, 8, 2, 4, 1)
__HALLMARK_TILE(8, 32, 16, 8, 8, 2, 8, 1, 4)
__HALLMARK_SUMS(16, 16, 8, float, "f32", 8)
__HALLMARK_FACTORS(16, 16, 8, precision::tf32, float, "tf32", 4, 4)
__HALLMARK_PRODUCT(16, 16, 8, precision::tf32, float, "f32.tf32.tf32.f32", 4, 4, 8)
}  // namespace wmma
}  // namespace nvcuda
