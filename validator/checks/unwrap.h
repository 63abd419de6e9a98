// Machine integers that stay inside their format, without the reductions that a reading modulo 2^w puts
// around them: p - 2^w * floor_div(p + o, 2^w) is p where -o <= p < 2^w - o, and an element is its number
// where the format has it. A running maximum or minimum is inside when its start is and its steps are as long
// as it is (induction over the steps), so that a loop's maximum of elements needs no reductions.
//
// Each step is an identity of integers, for every value of what is not known.
#pragma once
#include <optional>

#include "calculus/term.h"

namespace hallmark::validator {

// Numbers from low to high.
struct Window {
  Integer low, high;
};

// An index term, equal for all values of its variables.
calculus::Term unwrapped(calculus::Term number);
// Between which numbers an index term lies by its form alone; nothing where that is not known.
std::optional<Window> window_of(calculus::Term number);

}  // namespace hallmark::validator
