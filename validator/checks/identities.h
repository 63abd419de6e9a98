// Terms of floats and numbers that stand for the same bits, brought to one form: what a compiler may write in
// place of what a specification says. Each holds for NaN, infinities and both zeros.
#pragma once
#include "calculus/term.h"

namespace hallmark::validator {

// The node in that form, its children being so already.
calculus::Term identities(calculus::Term node);
// The whole term.
calculus::Term normalise(calculus::Term value);

}  // namespace hallmark::validator
