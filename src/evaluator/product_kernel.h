// The innermost loop of contract(): a tile of sums kept in registers.
#pragma once
#include <cstdint>

namespace hallmark::evaluator {

constexpr int tile_rows = 4, tile_columns = 8;

// sums[r * stride + c] += a[k * tile_rows + r] * b[k * tile_columns + c] for k = 0, 1, .. steps - 1 in this
// order, each product and each sum rounded to double.
using TileKernel = void (*)(const double* a, const double* b, std::int64_t steps, double* sums,
                            std::int64_t stride);
// For the processor that this runs on; all give the same bits.
TileKernel tile_kernel();

}  // namespace hallmark::evaluator
