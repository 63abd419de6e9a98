// One tile by wmma on floats that are rounded to tf32, element by element.
// expect wmma_tf32: proved
// expect wmma_tf32 ptx: proved
// expect wmma_tf32_columns: refuted value
// expect wmma_tf32_columns ptx: refuted value
// expect wmma_tf32_twice: refuted value
// expect wmma_tf32_twice ptx: refuted value
#include <mma.h>
using namespace nvcuda;
template <int fault>
__device__ void body(const float* a, const float* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fill_fragment(sum, (float)0.0f);
  wmma::load_matrix_sync(left, a, 8);
  if constexpr (fault == 1) {
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> other;
    wmma::load_matrix_sync(other, b, 8);
    wmma::mma_sync(sum, left, other, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
    return;
  }
  wmma::load_matrix_sync(right, b, 16);
  for (int i = 0; i < left.num_elements; ++i) left.x[i] = wmma::__float_to_tf32(left.x[i]);
  for (int i = 0; i < right.num_elements; ++i) right.x[i] = wmma::__float_to_tf32(right.x[i]);
  wmma::mma_sync(sum, left, right, sum);
  if (fault == 2) wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
__global__ void wmma_tf32(const float* a, const float* b, float* c) { body<0>(a, b, c); }
__global__ void wmma_tf32_columns(const float* a, const float* b, float* c) { body<1>(a, b, c); }
__global__ void wmma_tf32_twice(const float* a, const float* b, float* c) { body<2>(a, b, c); }
