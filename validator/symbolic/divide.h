// Floor division by what is no constant.
#pragma once
#include "calculus/term.h"

namespace hallmark::validator {

// floor(p / b) for b > 0, with the multiples of b taken out: floor((q * b + r) / b) = q + floor(r / b).
calculus::Term divide_by_symbols(calculus::Term p, calculus::Term b);

}  // namespace hallmark::validator
