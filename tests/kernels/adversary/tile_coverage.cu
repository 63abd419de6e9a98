// A tile of 4 x 2 elements a thread: every residue has a store of its own, and one that is missing for one thread, or
// in one block, is missing.
// expect tile_coverage: proved
// expect tile_coverage ptx: proved
// expect tile_coverage_hole: refuted coverage
// expect tile_coverage_hole ptx: refuted coverage
// expect tile_coverage_block: refuted coverage
// expect tile_coverage_rows: refuted coverage
// expect tile_coverage_again: refuted coverage
template <int fault>
__device__ void body(const float* x, float* y) {
  unsigned t = threadIdx.x, b = blockIdx.x;
#pragma unroll
  for (unsigned j = 0; j < (fault == 3 ? 3 : 4); ++j)
#pragma unroll
    for (unsigned e = 0; e < 2; ++e) {
      unsigned i = 256 * b + 64 * j + 2 * t + (fault == 4 && j == 3 ? 0 : e);
      if (fault == 1 && j == 2 && e == 1 && t == 17) continue;
      if (fault == 2 && j == 1 && e == 0 && b == 3) continue;
      y[i] = x[i];
    }
}
__global__ void tile_coverage(const float* x, float* y) { body<0>(x, y); }
__global__ void tile_coverage_hole(const float* x, float* y) { body<1>(x, y); }
__global__ void tile_coverage_block(const float* x, float* y) { body<2>(x, y); }
__global__ void tile_coverage_rows(const float* x, float* y) { body<3>(x, y); }
__global__ void tile_coverage_again(const float* x, float* y) { body<4>(x, y); }
