// What a load outside its buffer gives is arbitrary, and may be another value at each use (soundness: an
// undefined read is a fresh arbitrary value). The executor gives each address one unknown, from which follows
// too much where equal unknowns meet. A value proof therefore rests on the bounds of every load except one
// whose values run through float arithmetic, where nothing is concluded from equal operands, and through a
// single comparison of floats, used once.
#pragma once
#include "validator/checks/obligations.h"

namespace hallmark::validator {

// Whether from what these loads give, taken together, something could be decided that a fresh value at each
// use would not decide.
bool may_decide(const ir::Kernel& kernel, const std::vector<Site>& loads);

// Whether what these loads give flows, through registers, into an address, a branch, or which threads a
// barrier or warp operation waits for. What is stored and loaded again counts by the load.
bool decides(const ir::Kernel& kernel, const std::vector<Site>& loads);

}  // namespace hallmark::validator
