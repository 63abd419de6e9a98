// What a load outside its buffer gives is arbitrary, and may be another value at each use (soundness: an
// undefined read is a fresh arbitrary value). The executor gives each address one unknown, and integer
// arithmetic concludes much from equal unknowns: a value proof therefore rests on the bounds of every load
// that could decide something so. Floats are left, since nothing is concluded from equal float operands; two
// float comparisons of one outside element count as one.
#pragma once
#include "validator/checks/obligations.h"

namespace hallmark::validator {

// Whether what the load at `site` gives could decide something by integers: integer arithmetic, an address, a
// shuffle, an atomic, or through a store to anything but global memory.
bool may_decide(const ir::Kernel& kernel, const Site& site);

}  // namespace hallmark::validator
