// The arena: where tensors that only kernels see live.
#pragma once
#include "plan/launch_plan.h"

namespace hallmark::lowering {

// Gives every arena buffer of the plan an offset, a multiple of 256 bytes, and sets arena_bytes. A buffer
// lives from the launch that writes it to the last launch that reads it; buffers whose lives do not overlap
// share memory where their sizes are known numbers. Symbolic sizes are laid out one after the other.
void plan_memory(plan::LaunchPlan& plan);

}  // namespace hallmark::lowering
