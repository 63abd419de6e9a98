// Sum of each row by a tile of cooperative groups, named without its parent as in most code.
// expect row_sum_tile: proved
// expect row_sum_tile ptx: proved
// expect row_sum_tile_level: refuted value
// expect row_sum_tile_half: refuted coverage
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int fault>
__device__ void body(const float* x, float* y, int cols) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int row = blockIdx.x * 4 + (fault == 2 ? warp.meta_group_rank() / 2 : warp.meta_group_rank());
  float s = 0.0f;
  for (int i = warp.thread_rank(); i < cols; i += warp.size()) s += x[(size_t)row * cols + i];
  for (int o = warp.size() / 2; o > (fault == 1 ? 1 : 0); o /= 2) s += warp.shfl_down(s, o);
  if (warp.thread_rank() == 0) y[row] = s;
}
__global__ void row_sum_tile(const float* x, float* y, int cols) { body<0>(x, y, cols); }
__global__ void row_sum_tile_level(const float* x, float* y, int cols) { body<1>(x, y, cols); }
__global__ void row_sum_tile_half(const float* x, float* y, int cols) { body<2>(x, y, cols); }
