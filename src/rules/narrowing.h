// Law CAST-HOM: an integer modulo 2^v taken modulo 2^w, w <= v, is the integer modulo 2^w; so that such a
// conversion goes past conversions, sums, products, and sums and products over a range.
#pragma once
#include "calculus/term.h"

namespace hallmark::rules {

// The conversion one step further in; the term itself where nothing applies.
calculus::Term narrowed(calculus::Term conversion);

}  // namespace hallmark::rules
