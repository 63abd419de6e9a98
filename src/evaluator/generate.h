// From a definition's body to a register program. What does not change in a loop is computed before it, what
// does not change along the lanes once for all of them.
#pragma once
#include <optional>

#include "evaluator/code.h"
#include "evaluator/expression.h"

namespace hallmark::evaluator {

// `body` has no custom operation and no symbol but the sizes of orders, reals are doubles. Empty when only
// the walker can evaluate it: a fold whose order asks for a number of leaves that differs between elements.
// Throws Refusal E1002 as the walker does.
std::optional<Code> generate(calculus::Term body, const Tensors& tensors,
                             const std::vector<std::int64_t>& extents);
// The last axis with at least eight elements, otherwise the longest.
int choose_lane_axis(const std::vector<std::int64_t>& extents);

}  // namespace hallmark::evaluator
