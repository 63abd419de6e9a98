#include "validator/checks/launch_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "validator/checks/experiment.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Term;

namespace {

// Admissible says of sizes whether requirements and ranges hold once launch and buffers ask for nothing.
plan::KernelSpec without_launch(plan::KernelSpec spec) {
  for (int d = 0; d < 3; ++d) spec.launch.grid[d] = spec.launch.block[d] = nullptr;
  spec.launch.dynamic_shared_bytes = nullptr;
  for (plan::Parameter& p : spec.parameters)
    if (p.buffer) p.buffer->declaration.extents.clear();
  return spec;
}

std::vector<Sizes> sizes_to_try(const plan::KernelSpec& spec) {
  const plan::KernelSpec free = without_launch(spec);
  constexpr std::size_t most = 16;
  std::vector<Sizes> out = smallest_sizes(free, most);
  const std::size_t smallest = out.size();
  for (std::size_t n = 0; n < smallest; ++n)
    for (const calculus::SymbolRange& range : spec.symbols) {
      if (!range.high) continue;
      Sizes sizes = out[n];
      sizes.symbols[range.name] = *range.high;
      if (admissible(free, sizes, std::nullopt)) out.push_back(std::move(sizes));
    }
  return out;
}

// What the launch at these sizes exceeds; empty where nothing.
std::string exceeded(const plan::KernelSpec& spec, const ir::Kernel& kernel, const Sizes& sizes) {
  Reference reference(spec, sizes.symbols, nullptr);
  for (const plan::Parameter& p : spec.parameters) {
    if (!p.buffer) continue;
    for (Term extent : p.buffer->declaration.extents)
      if (const Integer n = reference.index(extent); n < 0)
        return fmt::format("{} would have an extent of {}", p.buffer->declaration.name, n.get_str());
  }
  Integer threads = 1, declared = 1;
  for (int d = 0; d < 3; ++d) {
    const std::size_t at = static_cast<std::size_t>(d);
    const Integer block = reference.index(block_extent(spec, d)),
                  grid = reference.index(grid_extent(spec, d));
    threads *= block;
    if (block < 1 || block > block_limits[d])
      return fmt::format("the block has {} threads in dimension {}, where a device takes 1 to {}",
                         block.get_str(), "xyz"[d], block_limits[d]);
    if (grid > grid_limits[d])
      return fmt::format("the grid has {} blocks in dimension {}, where a device takes {}", grid.get_str(),
                         "xyz"[d], grid_limits[d]);
    if (kernel.required_block[at] != 0 && block != kernel.required_block[at])
      return fmt::format("the block has {} threads in dimension {}, and the kernel requires {}",
                         block.get_str(), "xyz"[d], kernel.required_block[at]);
    if (kernel.maximum_block[at] != 0) declared *= kernel.maximum_block[at];
  }
  if (threads > threads_of_a_block)
    return fmt::format("the block has {} threads, where a device takes {}", threads.get_str(),
                       threads_of_a_block);
  if (kernel.maximum_block[0] != 0 && threads > declared)
    return fmt::format("the block has {} threads, and the kernel declares at most {}", threads.get_str(),
                       declared.get_str());
  Integer shared = 0;
  for (const ir::Array& array : kernel.arrays)
    if (array.space == ir::Space::shared && !array.dynamic) shared += from_u64(array.bytes);
  if (shared > shared_bytes_unasked)
    return fmt::format("the kernel declares {} bytes of shared memory, where a block has {}",
                       shared.get_str(), shared_bytes_unasked);
  if (spec.launch.dynamic_shared_bytes != nullptr)
    shared += reference.index(spec.launch.dynamic_shared_bytes);
  if (shared > shared_bytes_at_most)
    return fmt::format("the block needs {} bytes of shared memory, and no device has more than {}",
                       shared.get_str(), shared_bytes_at_most);
  return {};
}

}  // namespace

std::optional<Witness> failing_launch(const plan::KernelSpec& spec, const ir::Kernel& kernel) {
  for (const Sizes& sizes : sizes_to_try(spec)) {
    std::string what;
    try {
      what = exceeded(spec, kernel, sizes);
    } catch (const Refusal&) {
      continue;  // these sizes have no meaning for a term of the launch
    }
    if (what.empty()) continue;
    Witness out;
    out.summary = what;
    for (const auto& [name, value] : sizes.symbols) out.bindings.emplace_back(name, value.get_str());
    out.executed_by = "evaluator";
    return out;
  }
  return std::nullopt;
}

}  // namespace hallmark::validator
