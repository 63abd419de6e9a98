// One tile of 32 x 8 by wmma with sums in halves.
// expect wmma_half_sums: proved
// expect wmma_half_sums ptx: proved
// expect wmma_half_sums_columns: refuted value
// expect wmma_half_sums_columns ptx: refuted value
// expect wmma_half_sums_twice: refuted value
// expect wmma_half_sums_twice ptx: refuted value
#include <mma.h>
using namespace nvcuda;
template <int fault>
__device__ void body(const half* a, const half* b, half* c) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 32, 8, 16, half> sum;
  wmma::fill_fragment(sum, (half)0.0f);
  wmma::load_matrix_sync(left, a, 16);
  if constexpr (fault == 1) {
    wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major> other;
    wmma::load_matrix_sync(other, b, 16);
    wmma::mma_sync(sum, left, other, sum);
    wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
    return;
  }
  wmma::load_matrix_sync(right, b, 8);
  wmma::mma_sync(sum, left, right, sum);
  if (fault == 2) wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}
__global__ void wmma_half_sums(const half* a, const half* b, half* c) { body<0>(a, b, c); }
__global__ void wmma_half_sums_columns(const half* a, const half* b, half* c) { body<1>(a, b, c); }
__global__ void wmma_half_sums_twice(const half* a, const half* b, half* c) { body<2>(a, b, c); }
