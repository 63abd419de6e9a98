// A claim over what its sizes are more than their least values.
//
// s = s' + L is one to one between the sizes s >= L and the numbers s' >= 0, so a claim for the ones is a
// claim for the others. Differences of sizes that are not negative, as in the extents (H - 2) * (W - 2) of a
// convolution's output, are sums over s' whose coefficients are positive: products are compared term by term.
#pragma once
#include <optional>

#include "validator/symbolic/context.h"

namespace hallmark::validator {

struct ShiftedClaim {
  std::vector<calculus::Term> facts;
  calculus::Term goal = nullptr;
};

// Nothing where no such difference is a factor of a product: of a size that is known to be at least 2.
std::optional<ShiftedClaim> with_shifted_sizes(const Scope& scope, calculus::Term goal);

}  // namespace hallmark::validator
