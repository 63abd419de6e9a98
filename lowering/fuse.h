// Which definitions get a kernel of their own, and which are computed inside the kernels that use them.
// Fusion never changes a value: a fused definition's term stands in place of the load, with the same
// roundings.
#pragma once
#include <string>
#include <vector>

#include "calculus/program.h"

namespace hallmark::lowering {

struct Group {
  const calculus::Definition* root = nullptr;  // the tensor that the kernel writes
  calculus::Term value = nullptr;              // over the tensors that stay in memory
  std::vector<std::string> fused;              // definitions computed inside, the root last, in program order
};

// In program order of the roots. With `fuse` false every definition is a group of its own.
std::vector<Group> fuse_definitions(const calculus::Program& formulation, bool fuse);

}  // namespace hallmark::lowering
