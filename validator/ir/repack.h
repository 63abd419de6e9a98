// Words taken apart and put together again: an operation on bits whose result is, bit for bit, a value that
// is there already becomes that value. Clang's memory accesses of other widths than an array's elements, and
// nvcc's `mov.b32 {a,b}`, leave such operations around halves and bytes that share a register.
#pragma once
#include <vector>

#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

// `kernel` is as normalise() leaves it; true when it has to be normalised again. `followed`: values that are
// renamed with the kernel's, `none` among them.
bool repack(Kernel& kernel, std::vector<ValueId>& followed);

}  // namespace hallmark::validator::ir
