// Equality over the reals: sum normal form, opaque factors named by what they are equal to, guarded
// bijections.
#pragma once
#include "rules/normal_form.h"

namespace hallmark::rules {

// True when left = right is shown for every value of what is free in them, under the context's facts.
// `failure` gets the deepest summand that found no partner.
bool equal_over_reals(Term left, Term right, const Context& context, std::string& failure);

}  // namespace hallmark::rules
