// The sign of a real term by its form and by what the oracle shows of its leaves.
#pragma once
#include "rules/normal_form.h"

namespace hallmark::rules {

// Shown to be greater than 0, at least 0, or different from 0, for every value of what is free in it. False
// says nothing.
bool shown_positive(Term factor, const Context& context);
bool shown_nonnegative(Term factor, const Context& context);
bool shown_nonzero(Term factor, const Context& context);

}  // namespace hallmark::rules
