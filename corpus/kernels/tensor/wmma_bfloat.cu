// One tile of bfloat16 by wmma.
// expect wmma_bfloat: proved
// expect wmma_bfloat ptx: proved
// expect wmma_bfloat_columns: refuted value
// expect wmma_bfloat_columns ptx: refuted value
// expect wmma_bfloat_twice: refuted value
// expect wmma_bfloat_twice ptx: refuted value
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
template <int fault>
__device__ void body(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, (float)0.0f);
  wmma::load_matrix_sync(left, a, 16);
  if constexpr (fault == 1) {
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> other;
    wmma::load_matrix_sync(other, b, 16);
    wmma::mma_sync(sum, left, other, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
    return;
  }
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  if (fault == 2) wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
__global__ void wmma_bfloat(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) { body<0>(a, b, c); }
__global__ void wmma_bfloat_columns(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) { body<1>(a, b, c); }
__global__ void wmma_bfloat_twice(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) { body<2>(a, b, c); }
