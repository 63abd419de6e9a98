// Matrix fragments of <mma.h>: declared, so that the other kernels of a file are read; a kernel that uses them
// is refused by the name of the function.
#pragma once
#pragma clang system_header
#include "cuda_bf16.h"

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
template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
  static constexpr int num_elements = 8;
  T x[8];
};
template <class F, class T> __device__ void load_matrix_sync(F& fragment, const T* pointer, unsigned int stride);
template <class F, class T>
__device__ void load_matrix_sync(F& fragment, const T* pointer, unsigned int stride, layout_t layout);
template <class F, class T>
__device__ void store_matrix_sync(T* pointer, const F& fragment, unsigned int stride, layout_t layout);
template <class F, class T> __device__ void fill_fragment(F& fragment, const T& value);
template <class D, class A, class B, class C>
__device__ void mma_sync(D& d, const A& a, const B& b, const C& c, bool saturate = false);
}  // namespace wmma
}  // namespace nvcuda
