// Tiles whose sums are stored by columns, and sums that start from elements of another fragment: read, and left
// undecided.
// expect by_columns: open value
// expect by_columns ptx: open value
// expect by_elements: open value
// expect by_elements ptx: open value
#include <mma.h>
using namespace nvcuda;
template <bool columns>
__device__ void body(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  const unsigned row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (unsigned k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + (size_t)row * K + k, K);
    wmma::load_matrix_sync(b, B + (size_t)k * N + col, N);
    if (!columns)
      for (int i = 0; i < b.num_elements; ++i) b.x[i] = a.x[i];
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(C + (size_t)row * N + col, sum, N, columns ? wmma::mem_col_major : wmma::mem_row_major);
}
__global__ void by_columns(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  body<true>(A, B, C, M, N, K);
}
__global__ void by_elements(const half* A, const half* B, float* C, unsigned M, unsigned N, unsigned K) {
  body<false>(A, B, C, M, N, K);
}
