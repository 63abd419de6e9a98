// alpha A B^T of halves by wmma, one warp a tile of 16 x 16, scaled element by element.
// expect wmma_gemm: proved
// expect wmma_gemm ptx: proved
// expect wmma_gemm_stride: refuted bounds
// expect wmma_gemm_stride ptx: refuted bounds
// expect wmma_gemm_short: refuted value
// expect wmma_gemm_short ptx: refuted value
#include <mma.h>
using namespace nvcuda;
template <int fault>
__device__ void body(const half* A, const half* B, float* C, int M, int N, int K, float alpha) {
  int row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
#pragma unroll 1
  for (int k = 0; k < (fault == 2 ? K - 16 : K); k += 16) {
    wmma::load_matrix_sync(a, A + row * K + k, K);
    wmma::load_matrix_sync(b, B + col * K + k, fault == 1 ? N : K);
    wmma::mma_sync(sum, a, b, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= alpha;
  wmma::store_matrix_sync(C + row * N + col, sum, N, wmma::mem_row_major);
}
__global__ void wmma_gemm(const half* A, const half* B, float* C, int M, int N, int K, float alpha) {
  body<0>(A, B, C, M, N, K, alpha);
}
__global__ void wmma_gemm_stride(const half* A, const half* B, float* C, int M, int N, int K, float alpha) {
  body<1>(A, B, C, M, N, K, alpha);
}
__global__ void wmma_gemm_short(const half* A, const half* B, float* C, int M, int N, int K, float alpha) {
  body<2>(A, B, C, M, N, K, alpha);
}
