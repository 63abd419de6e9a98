// How a fragment of wmma is distributed over registers and lanes is not specified (PTX ISA 9.7.15.4): the same
// may be done to every element, and nothing that tells elements or lanes apart, though it be right for the
// distribution that the checker has for itself.
// expect fragments: proved
// expect fragments ptx: proved
// expect fragments_one: open value
// expect fragments_one ptx: open value
// expect fragments_half: open value
// expect fragments_half ptx: open value
// expect fragments_lane: open value
// expect fragments_lane ptx: open value
// expect fragments_rounds: open value
// expect fragments_rounds ptx: open value
// expect fragments_own: open value
// expect fragments_own ptx: open value
// expect fragments_read: open value race
// expect fragments_read ptx: open value race
// expect fragments_sum: open value
// expect fragments_sum ptx: open value
// expect fragments_early: open race
// expect fragments_early ptx: open race
#include <mma.h>
using namespace nvcuda;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>;
using C = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
template <int fault>
__device__ void body(const half* a, const half* b, float* c, unsigned rounds) {
  __shared__ __align__(32) float tile[256];
  A left;
  B right;
  C sum;
  unsigned lane = threadIdx.x;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  if (fault == 0)
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2.0f;
  if (fault == 1)
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= i == 0 ? 3.0f : 2.0f;
  if (fault == 2 && lane < 16)
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2.0f;
  if (fault == 3)
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= (float)(lane / 16u + 1u);
#pragma unroll 1
  for (unsigned n = 0; fault == 4 && n < lane; ++n)
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2.0f;
  if (fault == 5) {  // row lane / 2, columns from 8 (lane % 2) on
    for (int i = 0; i < sum.num_elements; ++i) c[lane * 8u + i] = 2.0f * sum.x[i];
    return;
  }
  if (fault == 7) {
    float all = 0.0f;
    for (int i = 0; i < sum.num_elements; ++i) all += sum.x[i];
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] * 2.0f + 0.0f * all;
  }
  if (fault == 6 || fault == 8) {
    wmma::store_matrix_sync(tile, sum, 16, wmma::mem_row_major);
    if (fault == 8) __syncthreads();
    for (unsigned i = 0; i < 8u; ++i) tile[lane * 8u + i] *= 2.0f;
    if (fault == 6) __syncthreads();
    wmma::load_matrix_sync(sum, tile, 16, wmma::mem_row_major);
  }
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
__global__ void fragments(const half* a, const half* b, float* c, unsigned n) { body<0>(a, b, c, n); }
__global__ void fragments_one(const half* a, const half* b, float* c, unsigned n) { body<1>(a, b, c, n); }
__global__ void fragments_half(const half* a, const half* b, float* c, unsigned n) { body<2>(a, b, c, n); }
__global__ void fragments_lane(const half* a, const half* b, float* c, unsigned n) { body<3>(a, b, c, n); }
__global__ void fragments_rounds(const half* a, const half* b, float* c, unsigned n) { body<4>(a, b, c, n); }
__global__ void fragments_own(const half* a, const half* b, float* c, unsigned n) { body<5>(a, b, c, n); }
__global__ void fragments_read(const half* a, const half* b, float* c, unsigned n) { body<6>(a, b, c, n); }
__global__ void fragments_sum(const half* a, const half* b, float* c, unsigned n) { body<7>(a, b, c, n); }
__global__ void fragments_early(const half* a, const half* b, float* c, unsigned n) { body<8>(a, b, c, n); }
