// A specification from a kernel's signature and text alone, for kernels that come without one: equality
// `safety`, so that nothing is claimed about values. Everything that it says beyond the text is an
// assumption, and stands as such in the specification that is printed:
//
//   - buffers do not overlap and start aligned; a buffer that the text never writes is `in`, one that it
//   never
//     reads `out`; how many elements it has is the ghost `elements.NAME` until extents.h says more;
//   - an integer scalar of 32 or 64 bits is a size: from 1 to 2^30, or to 2^40;
//   - dimensions of block and grid whose index the text does not read are 1, the others are the ghosts
//     blockDim.x, gridDim.x, ...; gridDim * blockDim <= 2^30 in each dimension;
//   - where lanes talk to each other, a block is made of whole warps.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "plan/kernel_spec.h"
#include "validator/ir/kernel.h"

namespace hallmark::validator {

// What somebody knows about the launch: constant extents of block or grid, bytes of dynamic shared memory.
struct LaunchHint {
  std::optional<std::array<long, 3>> block, grid;
  std::optional<long> shared_bytes;
};

struct Signature {
  plan::KernelSpec spec;
  std::vector<std::string> assumptions;  // sentences for a person, in the order of the list above
};

// Throws Refusal E4010 for a parameter that a specification cannot describe: a struct passed by value.
Signature propose_signature(const ir::Kernel& kernel, const LaunchHint& hint);

// The ghost that stands for the number of elements of the buffer.
std::string elements_symbol(const std::string& buffer);
// Bytes of dynamic shared memory where nothing is known about them.
std::string shared_symbol();

}  // namespace hallmark::validator
