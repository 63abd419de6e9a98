// What the checker of certificates says of one rounding on one leaf, from the definitions: how far the
// executed result is from the exact operation, and where it lies. Shares nothing with the search (sweep.h).
#pragma once
#include "numerics/expression/expression.h"
#include "numerics/expression/node_format.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

// One limb, for which MPFR is fastest; the claim leaves room for the rounding.
inline constexpr mpfr_prec_t checked_bits = 63;

// Of a constant: encloses what it stands for and what is stored, and how far they are apart. They are the
// same in every leaf.
struct StoredConstant {
  Interval range, error;
};
// Nothing where the stored one overflows, and for other nodes.
std::optional<StoredConstant> stored_constant(const ExpressionNode& n, const NodeFacts& facts);

// At most how far the executed result is from the exact operation; nothing for an overflow. The ranges of two
// operands, where there are two: a difference of values within a factor of two is exact (Sterbenz).
MaybeInterval rounding_error(const ExpressionNode& n, const NodeFacts& facts, const ExpressionModel& model,
                             const Interval& exact, const Interval* left, const Interval* right);
// Encloses exact and executed results.
Interval executed_range(const ExpressionNode& n, const ExpressionModel& model, const Interval& exact,
                        const Interval& error);

}  // namespace hallmark::numerics
