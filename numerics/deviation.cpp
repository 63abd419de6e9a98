// d / sqrt(q) and d * (1 / sqrt(q)) for a d whose square is among those that q is the mean of: standardised
// rows. Intervals see the largest d beside the smallest q, which no row has together; their quotient grows
// with every normalisation of a deep model until it overflows on paper.
#include "base/error.h"
#include "numerics/term_analysis.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

// All in one format, to nearest, without flushing: then a sum of squares is at least each of its rounded
// squares.
bool rounds_alike(const Deviation& deviation, Sort sort) {
  const auto nearest = [&](Term node) {
    return node->kind != Kind::operation || (node->sort == sort && !node->flush_subnormals &&
                                             (sort == Sort::real() || node->rounding == Rounding::nearest));
  };
  for (const Term operation : deviation.operations) {
    if (operation->sort != sort || !nearest(operation)) return false;
    if (operation->kind != Kind::fold) continue;
    bool all = never_below_its_terms(operation);
    for_each_node(operation, [&](Term node) { all = all && (node->sort == Sort::index() || nearest(node)); });
    if (!all) return false;
  }
  return true;
}

}  // namespace

// With u the unit roundoff, h half the least positive value, C the count, q >= L > 0 the rounded radicand:
//   d^2 <= (fl(d^2) + h) / (1 - u),  fl(d^2) <= S,  S <= C (w + h) / (1 - u) for w = fl(S / C),  w <= q / (1
//   - u),
// so d^2 <= q C / (1 - u)^3 + (C + 1) h / (1 - u)^2. The divisor b is at least (1 - u) sqrt(q) and at least
// some B > 0: (d / b)^2 <= C / (1 - u)^5 + (C + 1) h / (B (1 - u))^2; with b = sqrt(q) alone, B^2 may be L (1
// - u)^2. A reciprocal of b gains 1 + u and h. Without roundings |d| <= sqrt(C) sqrt(q), also where q = 0:
// there d is 0.
void TermAnalysis::apply_deviation(Term d, Term b, bool reciprocal, Value& v) {
  const auto found = facts_.deviation(d, b, reciprocal);
  if (!found || !is_element(d->sort) || !rounds_alike(*found, d->sort)) return;
  const bool rounds = d->sort.kind == Sort::Kind::floating;
  Value count, radicand, divisor, offset, member;
  try {
    count = found->count != nullptr ? value(found->count) : exact_value(Interval(Rational(1)));
    divisor = value(found->divisor);
    if (found->added != nullptr && !never_negative(found->added)) return;
    radicand = value(found->radicand);
    if (found->offset != nullptr) offset = value(found->offset);
    member = value(d);
  } catch (const AnalysisFailure&) {
    return;  // without ranges of its parts the root says nothing
  }
  if (!count.rounded.is_positive() || !offset.rounded.is_nonnegative()) return;
  const Interval one(Rational(1)), zero;
  Interval unit, half;
  if (rounds) {
    const RoundingModel model{d->sort.format, Rounding::nearest, false};
    unit = Interval::power_of_two(-model.precision());
    half = Interval::power_of_two(model.least_exponent() - 1);
    if (!divisor.rounded.is_positive()) return;
  }
  const Interval left = one - unit, size = count.rounded.upper_end();
  Interval squared = size;
  if (rounds) {
    const Interval of_divisor = square(divisor.rounded.lower_end()),
                   of_root = radicand.rounded.lower_end() * left * left;
    const Interval least = mpfr_less_p(of_divisor.low(), of_root.low()) != 0 ? of_root : of_divisor;
    const MaybeInterval main = divide(size, left * left * left);
    const MaybeInterval tiny = divide((size + one) * half, least.lower_end() * left * left);
    if (!main || !tiny) return;
    squared = *main + *tiny;
  }
  const MaybeInterval root = unary(Op::sqrt, squared.upper_end());
  if (!root) return;
  MaybeInterval bound = divide(*root, left);
  if (!bound) return;
  if (rounds && reciprocal) bound = *bound * (one + unit) + member.rounded.magnitude() * half;
  const MaybeInterval rounded = intersect(v.rounded, bound->upper_end().symmetric());
  if (!rounded) return;
  theorems_.insert("deviation-within-row");
  v.rounded = *rounded;
  // In the local pass a loaded root is what was computed and d is not rounded, so the exact product is not
  // theirs.
  if (!v.bounded || settings_.local || !offset.bounded || !offset.exact.is_nonnegative()) return;
  // The authored count and the one in the formulation differ by one rounding at most.
  const MaybeInterval exact_root = unary(Op::sqrt, (size * (one + unit + unit)).upper_end());
  const MaybeInterval exact =
      exact_root ? intersect(v.exact, exact_root->upper_end().symmetric()) : std::nullopt;
  if (!exact) return;
  v.exact = *exact;
  settle(v);
}

}  // namespace hallmark::numerics
