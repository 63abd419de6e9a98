#include "evaluator/product_kernel.h"

namespace hallmark::evaluator {
namespace {

using Row = double __attribute__((vector_size(tile_columns * sizeof(double)), aligned(8)));

__attribute__((always_inline)) inline void multiply(const double* a, const double* b, std::int64_t steps,
                                                    double* sums, std::int64_t stride) {
  Row tile[tile_rows];
  for (int r = 0; r < tile_rows; ++r) tile[r] = *reinterpret_cast<const Row*>(sums + r * stride);
  for (std::int64_t k = 0; k < steps; ++k) {
    const Row right = *reinterpret_cast<const Row*>(b + k * tile_columns);
    for (int r = 0; r < tile_rows; ++r) tile[r] += right * a[k * tile_rows + r];
  }
  for (int r = 0; r < tile_rows; ++r) *reinterpret_cast<Row*>(sums + r * stride) = tile[r];
}

void plain(const double* a, const double* b, std::int64_t steps, double* sums, std::int64_t stride) {
  multiply(a, b, steps, sums, stride);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void with_avx2(const double* a, const double* b, std::int64_t steps,
                                               double* sums, std::int64_t stride) {
  multiply(a, b, steps, sums, stride);
}
__attribute__((target("avx512f"))) void with_avx512(const double* a, const double* b, std::int64_t steps,
                                                    double* sums, std::int64_t stride) {
  multiply(a, b, steps, sums, stride);
}
#endif

}  // namespace

TileKernel tile_kernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return with_avx512;
  if (__builtin_cpu_supports("avx2")) return with_avx2;
#endif
  return plain;
}

}  // namespace hallmark::evaluator
