// What the lanes of a warp do to a matrix they do together: some of them alone are a fault, whether the values
// are asked for or not, and whether the instruction's value is modelled or not.
// expect divergent_fragments: proved
// expect divergent_fragments ptx: proved
// expect divergent_fragments_store: refuted shuffle
// expect divergent_fragments_store ptx: refuted shuffle
// expect divergent_fragments_load: refuted shuffle
// expect divergent_fragments_load ptx: refuted shuffle
// expect divergent_fragments_double: open shuffle
// expect divergent_fragments_double ptx: open shuffle
#include <mma.h>
using namespace nvcuda;
using Half = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
__global__ void divergent_fragments(const float* x, float* y) {
  Sum sum;
  wmma::load_matrix_sync(sum, x, 16, wmma::mem_row_major);
  wmma::store_matrix_sync(y, sum, 16, wmma::mem_row_major);
}
__global__ void divergent_fragments_store(const float* x, float* y) {
  Sum sum;
  wmma::load_matrix_sync(sum, x, 16, wmma::mem_row_major);
  if (threadIdx.x < 31) wmma::store_matrix_sync(y, sum, 16, wmma::mem_row_major);
}
__global__ void divergent_fragments_load(const float* x, float* y) {
  Sum sum;
  wmma::fill_fragment(sum, 0.0f);
  if (threadIdx.x < 31) wmma::load_matrix_sync(sum, x, 16, wmma::mem_row_major);
  wmma::store_matrix_sync(y, sum, 16, wmma::mem_row_major);
}
__global__ void divergent_fragments_double(const float* x, float* y) {
  double sum[2] = {0, 0}, factor = x[threadIdx.x];
  if (threadIdx.x < 31)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(sum[0]), "+d"(sum[1])
                 : "d"(factor), "d"(factor));
  y[threadIdx.x] = (float)sum[0];
}
