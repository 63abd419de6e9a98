// The obligations of one kernel against its specification: the list, fixed from kernel and specification
// before anything is solved, and its discharge (design, section 4).
//
//   bounds       one for each memory instruction (subject KERNEL:LINE)
//   barrier      one for each barrier, shuffle: one for each instruction that talks to other lanes
//   alignment, overflow, init, race, termination, coverage, frame, value, launch     one for each kernel
//   ub           one for each kernel, level source only
#pragma once
#include "obligation/obligation.h"
#include "plan/kernel_spec.h"
#include "validator/ir/kernel.h"

namespace hallmark::validator {

// Level is Level::source or Level::ptx. Ids name kernel, instruction kind and ordinal, so that they stay when
// lines move.
std::vector<Obligation> list_obligations(const plan::KernelSpec& spec, const ir::Kernel& kernel, Level level);

// Text of the specification as it stands in statements: requirements, launch, buffers, ensures.
std::string statement_context(const plan::KernelSpec& spec);

// The instruction that an obligation of kind bounds, barrier or shuffle is about, by its ordinal.
struct Site {
  ir::BlockId block = 0;
  std::uint32_t index = 0;
};
std::vector<Site> memory_sites(const ir::Kernel& kernel);
std::vector<Site> barrier_sites(const ir::Kernel& kernel);
std::vector<Site> warp_sites(const ir::Kernel& kernel);

}  // namespace hallmark::validator
