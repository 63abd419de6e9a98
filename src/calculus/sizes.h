// Sizes: what the extents of tensors are made of.
#pragma once
#include "calculus/term.h"

namespace hallmark::calculus {

// Whether an index term is over symbols and numbers alone, so that it is known before any element is: no
// axis, no variable of a fold, and nothing that is read from a tensor, also not in the condition of a choice.
bool is_over_symbols(Term index);

}  // namespace hallmark::calculus
