#include "validator/checks/large_launch.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "validator/checks/specification.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Term;

namespace {

constexpr std::uint64_t whole_threads = 1 << 20;  // of a grid that is executed as a whole in the end

struct Launch {
  std::array<std::uint64_t, 3> grid{1, 1, 1};
  std::uint64_t block = 1;
  std::uint64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
};

Launch launch_of(const plan::KernelSpec& spec, const Sizes& sizes) {
  Reference reference(spec, sizes.symbols, nullptr);
  Launch out;
  for (int d = 0; d < 3; ++d) {
    out.grid[static_cast<std::size_t>(d)] = *to_u64(reference.index(grid_extent(spec, d)));
    out.block *= *to_u64(reference.index(block_extent(spec, d)));
  }
  return out;
}

}  // namespace

std::optional<Sizes> part_of_launch(const plan::KernelSpec& spec, const Sizes& sizes,
                                    const std::vector<std::array<std::uint64_t, 3>>& wanted,
                                    std::uint64_t threads) {
  if (!admissible(spec, sizes, std::nullopt)) return std::nullopt;
  const Launch launch = launch_of(spec, sizes);
  const std::uint64_t room = std::max<std::uint64_t>(4, threads / launch.block);
  if (launch.blocks() <= room) return std::nullopt;
  std::set<std::uint64_t> blocks;
  for (const auto& at : wanted)
    if (at[0] < launch.grid[0] && at[1] < launch.grid[1] && at[2] < launch.grid[2])
      blocks.insert(at[0] + launch.grid[0] * (at[1] + launch.grid[1] * at[2]));
  // The first, the last, and some between: most faults are at an end, or everywhere.
  const std::uint64_t side = room / 4, rest = room / 2;
  for (std::uint64_t n = 0; n < std::max<std::uint64_t>(1, side); ++n) {
    blocks.insert(n);
    blocks.insert(launch.blocks() - 1 - n);
  }
  for (std::uint64_t n = 1; n <= rest; ++n) blocks.insert(launch.blocks() / (rest + 1) * n);
  Sizes out = sizes;
  out.blocks.assign(blocks.begin(), blocks.end());
  return out;
}

std::optional<Sizes> some_blocks(const plan::KernelSpec& spec) {
  for (const Sizes& sizes : smallest_sizes(spec, 20))
    if (auto part = part_of_launch(spec, sizes, {}, 0)) return part;
  return std::nullopt;
}

std::vector<Sizes> large_launches(const plan::KernelSpec& spec) {
  for (const Sizes& sizes : smallest_sizes(spec, 200)) {
    const auto part = part_of_launch(spec, sizes, {}, large_part);
    if (!part) continue;
    std::vector<Sizes> out{*part};
    const Launch launch = launch_of(spec, sizes);
    if (launch.blocks() <= whole_threads / launch.block) out.push_back(sizes);
    return out;
  }
  return {};
}

std::vector<Sizes> parts_beyond_words(const plan::KernelSpec& spec, std::size_t limit) {
  std::vector<Sizes> fitting, out;
  for (const LargeSizes& large : sizes_beyond_words(spec))
    if (auto part = part_of_launch(spec, large.sizes, {}, 0)) fitting.push_back(std::move(*part));
  // From both ends: just beyond a word, and as large as may be.
  for (std::size_t n = 0; n < std::min(limit, fitting.size()); ++n)
    out.push_back(n % 2 == 0 ? fitting[n / 2] : fitting[fitting.size() - 1 - n / 2]);
  return out;
}

}  // namespace hallmark::validator
