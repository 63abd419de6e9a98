// The rounding errors of a sum added up node by node over its declared order.
//
// Every partial sum is bounded by its monotone worst: rounding does not decrease, so no partial sum of terms
// of magnitude at most M is above the partial sum computed from terms that are all M. A node whose exact
// operands add up to at most m errs by at most half the spacing just below m; the errors of all nodes
// together bound the error of the sum, without a second-order term. Against the closed form h u sum |x| this
// counts the growth of the partial sums: about a third of it for a sequence, and exactly the attained error
// for terms near M.
#pragma once
#include <optional>

#include "base/integer.h"
#include "calculus/term.h"
#include "numerics/interval.h"
#include "numerics/rounding.h"

namespace hallmark::numerics {

struct SumError {
  Interval magnitude;  // of the computed sum, at most
  Interval error;      // of all roundings together, at most; both from 0
};

// At most `steps` terms of magnitude at most `term`, added to a start of magnitude `start` (not 0 in `seq`
// only). `first_is_exact`: 0 + x does not round. Nothing for orders without a tree (fold_order.h) and where a
// partial sum may overflow.
std::optional<SumError> sum_error(const calculus::Order& order, const Integer& steps, const Interval& term,
                                  const Interval& start, const RoundingModel& model, bool first_is_exact);

}  // namespace hallmark::numerics
