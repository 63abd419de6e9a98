// Launches that no device takes: sizes that the specification admits, and for which the block, the grid or
// the shared memory is beyond what any has (CUDA C++ Programming Guide 13.0, technical specifications by
// compute capability), or beyond what the kernel declares of itself (.reqntid, .maxntid, __launch_bounds__);
// and sizes at which a buffer would have a negative extent, which every other claim leaves out.
#pragma once
#include <optional>

#include "obligation/obligation.h"
#include "plan/kernel_spec.h"
#include "validator/ir/kernel.h"

namespace hallmark::validator {

inline constexpr long threads_of_a_block = 1024;
inline constexpr long grid_limits[3] = {2147483647L, 65535, 65535};
inline constexpr long block_limits[3] = {1024, 1024, 64};
// What every device gives a block without asking, and what none gives more of.
inline constexpr long shared_bytes_unasked = 49152, shared_bytes_at_most = 232448;

// Sizes at which the launch fails, and by what, computed from the specification's own terms. Tried are the
// smallest sizes that meet the requirements, and those with one symbol as large as it may be.
std::optional<Witness> failing_launch(const plan::KernelSpec& spec, const ir::Kernel& kernel);

}  // namespace hallmark::validator
