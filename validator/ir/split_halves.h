// Pairs of halves that loops carry in one register (the accumulators of mma.sync with .f16, sums by
// fma.f16x2) taken apart: a block parameter of 32 bits that is packed from two floats on some edge becomes
// two parameters, packed again where it is used.
#pragma once
#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

// `kernel` is as normalise() leaves it; true when it has to be normalised again.
bool split_halves(Kernel& kernel);

}  // namespace hallmark::validator::ir
