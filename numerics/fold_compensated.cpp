// Kahan's compensated sum: y = x - c, t = s + y, c = (t - s) - y, s = t, or with the other sign of c.
//
// With u = 2^-p, which bounds a rounding relative to its operand and to its result, all to nearest, nothing
// flushed (sums and differences lose nothing below the normal range): y = (x - c)(1 + a), t = s + y + e with
// |e| <= u |t|, c' = (e + g (y + e))(1 + d), |a|, |g|, |d| <= u. So s - c, the corrected sum, gains x and
//   |h| <= u |x - c| + u |e| + u (1 + u) (|y| + |e|)
// a step, and the result is off by at most sum |h| + |c|. With A = sum |x|, X = max |x|, n steps, M = max
// |s|:
//   |c| <= C = k (M + X), k = u (1 + u)^2 / (1 - u (1 + u)^2);   |y| <= (1 + u)(|x| + C);   |e| <= u M;
//   sum |h| <= H = u (1 + (1 + u)^2) (A + n C) + n u^2 (2 + u) M;   M <= A + H + C,
// which is linear in M and solved for it: about 3 u A + O(n u^2) A. (Higham, "Accuracy and Stability of
// Numerical Algorithms", 4.3, gives 2 u + O(n u^2) with a constant that is not stated; this one is derived
// here and every term of it counts.) Over the reals c is 0 and the fold is the sum of the x.
#include "contract/format_values.h"
#include "numerics/describe.h"
#include "numerics/fold_steps.h"
#include "numerics/transfer.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

// x of the compensated sum that state s is; nothing for another fold.
Term compensated_term(const FoldParts& parts, std::size_t s) {
  // Over the reals an order that is left open is the sequence too, where nothing says how parts are joined.
  const bool open_order =
      parts.order->kind == Order::Kind::any && parts.combine.empty() && parts.states[s]->sort == Sort::real();
  if (parts.states.size() != 2 || (parts.order->kind != Order::Kind::seq && !open_order)) return nullptr;
  const Term sum = parts.states[s], correction = parts.states[1 - s];
  const Term t = parts.step[s], next = parts.step[1 - s];
  const Term y = other_operand(t, sum);
  if (y == nullptr || !is_operation(next, Op::sub)) return nullptr;
  const auto grown = [&](Term d) {
    return is_operation(d, Op::sub) && d->children[0] == t && d->children[1] == sum;
  };
  Term x = nullptr;
  if (is_operation(y, Op::sub) && y->children[1] == correction && next->children[1] == y &&
      grown(next->children[0]))
    x = y->children[0];
  else if (next->children[0] == y && grown(next->children[1]))
    x = other_operand(y, correction);
  if (x == nullptr) return nullptr;
  bool closed = parts.guard->kind == Kind::truth && parts.guard->number != 0, alike = true;
  for_each_node(x, [&](Term node) { closed = closed && node != sum && node != correction; });
  for (const Term node : {t, y, next, next->children[0] == y ? next->children[1] : next->children[0]})
    alike = alike && node->sort == sum->sort && !node->flush_subnormals &&
            (node->sort == Sort::real() || node->rounding == Rounding::nearest);
  for (const Term init : parts.init)
    alike = alike && init->kind == Kind::constant && init->value == 0 && init->bits == 0;
  return closed && alike ? x : nullptr;
}

}  // namespace

std::optional<Value> TermAnalysis::compensated(Term a, const FoldParts& parts, const IndexRange& count) {
  const Term x = compensated_term(parts, static_cast<std::size_t>(a->which));
  if (x == nullptr || !count.high) return std::nullopt;
  const Value term = value(x);
  Value out = transfer_repeat(term, *count.low, *count.high);
  theorems_.insert("compensated-sum");
  if (a->sort.kind != Sort::Kind::floating) return out;
  const RoundingModel model{a->sort.format, Rounding::nearest, false};
  const Interval one(Rational(1)), u = Interval::power_of_two(-model.precision()), n{Rational(*count.high)};
  const Interval up = (one + u).upper_end(), twice = one + up * up;
  const MaybeInterval k = divide(u * up * up, (one - u * up * up).lower_end());
  if (!k || !k->is_positive()) return std::nullopt;
  const Interval greatest = term.rounded.magnitude(), all = n * greatest;  // X, A
  // M <= base + part M.
  const Interval part = u * twice * n * *k + n * u * u * (one + up) + *k;
  const Interval left = one - part.upper_end();
  if (!left.is_positive()) return std::nullopt;
  // In units of A, with X <= A: M <= size A.
  const MaybeInterval size = divide(one + u * twice + u * twice * n * *k + *k, left.lower_end());
  if (!size) return std::nullopt;
  // H + C with C <= k (M + X), and X = A / n where all terms are as great as the greatest.
  const Interval per_term = (*size + one) * *k;
  const Interval own =
      (u * twice * (one + n * per_term) + n * u * u * (one + up) * *size + per_term).upper_end().from_zero();
  const Interval lost = (own * all).upper_end().from_zero();
  if (!high_at_most((*size * all + greatest) * Rational(4), Interval(contract::largest_value(model.format))))
    fail(Failure::Kind::overflow, describe(a) + " may overflow");
  out.units.reset();
  if (out.bounded) {
    // The error is own * sum |x'|, and |x'| <= |x| (1 + r) + s where the terms have one sign.
    const bool one_sign = term.exact.is_nonnegative() || term.exact.is_nonpositive();
    out.absolute = (out.absolute + lost).from_zero();
    if (one_sign) {
      out.rest = (out.rest + own * n * term.rest.from_zero()).from_zero();
      out.relative = (out.relative + own * (term.relative.from_zero() + one)).from_zero();
    } else {
      out.rest = out.absolute;
      out.relative = Interval();
    }
    add_share(out, "compensated sum of " + count.high->get_str() + " " + describe(x, 1), lost);
  }
  out.rounded = out.rounded + lost.symmetric();
  out.grid = model.least_exponent();
  out.significant = model.precision();
  settle(out);
  return out;
}

}  // namespace hallmark::numerics
