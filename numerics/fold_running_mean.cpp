// Welford's mean and sum of squared deviations (Technometrics 4, 1962), kept up to date element by element:
//
//   d = x_k - m      m' = m + d / k      s' = s + d (x_k - m')      from m = s = 0, in sequence, k = 1 .. n
//
// With u = 2^-p, h half the least positive value, all to nearest and nothing flushed. Let the rounded x lie
// in a range of width R and magnitude X, m_k their exact running mean, M the exact sum of squared deviations
// and E_k the error of the computed mean. The first step is exact. From then on
//   d = (x - m)(1 + a), its quotient (1 + b) more and h, the sum off by u |m'|:
//   E_k = (1 - 1/k) E_(k-1) + e, |e| <= (2u + u^2)(R + E)/k + h + u (X + E), so that
//   E_k <= (2u + u^2)(R + E) + (u (X + E) + h)(k + 1)/2 = A + B k, greatest (E) at k = n: linear in E.
// What is added to s is d (x - m')(1 + t) up to h, |t| <= (1 + u)^3 - 1. With a_k = x - m_(k-1) and b_k = x -
// m_k = a_k (1 - 1/k): sum a_k b_k = M, sum b_k^2 <= M, sum a_k^2 <= 2 M, and by Cauchy and Schwarz
//   sum |(a_k - E_(k-1))(b_k - E_k) - a_k b_k| <= T = (1 + sqrt 2) S sqrt M + S^2, S^2 = sum (A + B k)^2.
// Adding up costs g = (1 + u)^n - 1 of the sum of magnitudes, (1 + t)(M + T) + n h. So
//   |s - M| <= ((1 + t)(1 + g) - 1) M + (1 + t)(1 + g) T + 2 n h (1 + g), and M <= n R^2 / 4 (Popoviciu).
// Inputs that are off by at most v themselves move the mean by v and sqrt M by sqrt(n) v. Over the reals the
// fold is the mean and the sum of squared deviations. (Chan, Golub and LeVeque, The American Statistician 37,
// 1983, give n u kappa for the relative error, kappa^2 = 1 + mean^2 / variance: S / sqrt M is of that size.)
#include "contract/format_values.h"
#include "numerics/describe.h"
#include "numerics/fold_steps.h"
#include "numerics/transfer.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

// left - right, if a is that.
bool is_difference(Term a, Term left, Term right) {
  return is_operation(a, Op::sub) && a->children[0] == left && a->children[1] == right;
}
Interval root(const Interval& a) {
  return unary(Op::sqrt, a.upper_end()).value().from_zero();
}

}  // namespace

struct TermAnalysis::RunningMean {
  Term x = nullptr;
  bool of_mean = false;  // the fold's result is the mean, not the sum
};

// Nothing for another fold.
std::optional<TermAnalysis::RunningMean> TermAnalysis::running_mean_of(Term a, const FoldParts& parts) {
  const bool open_order =
      parts.order->kind == Order::Kind::any && parts.combine.empty() && a->sort == Sort::real();
  if (parts.order->kind != Order::Kind::seq && !open_order) return std::nullopt;
  if (parts.guard->kind != Kind::truth || parts.guard->number == 0) return std::nullopt;
  const auto is_number = [&](Term t, long number) {
    return t->kind == Kind::constant && value(t).rounded.is_point() &&
           value(t).rounded.contains(Rational(number));
  };
  // The number of the step, 1 in the first: of the index, or kept as a state.
  const auto counts = [&](Term c) {
    if (c == calculus::from_index(calculus::add(parts.variable, integer(1L)), c->sort)) return true;
    for (std::size_t j = 0; j < parts.states.size(); ++j) {
      const Term one = parts.step[j] == c ? other_operand(c, parts.states[j]) : nullptr;
      if (one != nullptr && is_number(one, 1) && is_number(parts.init[j], 0)) return true;
    }
    return false;
  };
  const std::size_t which = static_cast<std::size_t>(a->which);
  for (std::size_t j = 0; j < parts.states.size(); ++j) {
    const Term mean = parts.states[j], next = parts.step[j];
    const Term quotient = other_operand(next, mean);
    if (quotient == nullptr || !is_operation(quotient, Op::div) || !counts(quotient->children[1])) continue;
    const Term d = quotient->children[0];
    if (!is_operation(d, Op::sub) || d->children[1] != mean) continue;
    RunningMean out{d->children[0], which == j};
    std::vector<Term> rounded{next, quotient, d};
    if (!out.of_mean) {
      const Term sum = parts.states[which], step = parts.step[which];
      std::vector<Term> factors;
      if (const Term product = other_operand(step, sum);
          product != nullptr && is_operation(product, Op::mul)) {
        factors = product->children;
        rounded.push_back(product);
      } else if (is_operation(step, Op::fma) && step->children[2] == sum) {
        factors = {step->children[0], step->children[1]};
      }
      const auto are = [&](std::size_t first) {
        return factors[first] == d && is_difference(factors[1 - first], out.x, next);
      };
      if (factors.size() != 2 || (!are(0) && !are(1))) continue;
      rounded.insert(rounded.end(), {step, factors[0], factors[1]});
    }
    bool closed = true, alike = is_number(parts.init[j], 0) && is_number(parts.init[which], 0);
    for_each_node(out.x, [&](Term node) {
      for (const Term state : parts.states) closed = closed && node != state;
    });
    for (const Term node : rounded)
      alike = alike && node->sort == a->sort && !node->flush_subnormals &&
              (node->sort == Sort::real() || node->rounding == Rounding::nearest);
    alike = alike && mean->sort == a->sort && quotient->children[1]->sort == a->sort;
    if (closed && alike) return out;
  }
  return std::nullopt;
}

std::optional<Value> TermAnalysis::running_mean(Term a, const FoldParts& parts, const IndexRange& count) {
  if (!count.high || *count.low < 1 || !count.high->fits_ulong_p()) return std::nullopt;
  const auto found = running_mean_of(a, parts);
  if (!found) return std::nullopt;
  const Value term = value(found->x);
  if (!term.bounded) return std::nullopt;
  const Interval one(Rational(1)), n{Rational(*count.high)}, off = term.absolute.from_zero();
  const auto width = [](const Interval& x) { return (x.upper_end() - x.lower_end()).from_zero(); };
  const auto greatest_sum = [&](const Interval& x) {
    return scale2(n * square(width(x)), -2).upper_end().from_zero();
  };
  Value out;
  out.exact = found->of_mean ? term.exact : hull(Interval(), greatest_sum(term.exact));
  out.rounded = out.exact;
  theorems_.insert("running-mean");
  if (a->sort.kind != Sort::Kind::floating) return out;

  const RoundingModel model{a->sort.format, Rounding::nearest, false};
  // The numbers of the steps have to be values of the format.
  if (*count.high > Integer(1) << static_cast<unsigned>(model.precision())) return std::nullopt;
  const Interval u = Interval::power_of_two(-model.precision()),
                 h = Interval::power_of_two(model.least_exponent() - 1);
  const Interval r = width(term.rounded), x = term.rounded.magnitude().from_zero();  // R, X
  const Interval twice = u + u + u * u, half_n = scale2(n + one, -1);
  // E <= twice (R + E) + (u (X + E) + h) (n + 1) / 2
  const Interval left = one - (twice + u * half_n).upper_end();
  if (!left.is_positive()) return std::nullopt;
  const MaybeInterval solved = divide((twice * r + (u * x + h) * half_n).upper_end(), left);
  if (!solved) return std::nullopt;
  const Interval e = solved->from_zero();
  const Interval largest(contract::largest_value(model.format));
  const Interval difference = ((r + x + e) * (one + u)).upper_end();
  const auto overflows = [&](const Interval& size) { return !high_at_most(size * Rational(4), largest); };
  if (overflows(difference) || (!found->of_mean && overflows(square(difference) * n)))
    fail(Failure::Kind::overflow, describe(a) + " may overflow");
  if (found->of_mean) {
    out.absolute = (e + off).from_zero();
    out.rest = out.absolute;
    add_share(out, "running mean of " + count.high->get_str() + " " + describe(found->x, 1), e);
    out.rounded = term.rounded + e.symmetric();
  } else {
    // S^2 = n A^2 + A B n (n + 1) + B^2 n (n + 1) (2n + 1) / 6
    const Interval slope = scale2(u * (x + e) + h, -1), base = twice * (r + e) + slope;
    const Interval squares = n * square(base) + base * slope * n * (n + one) +
                             square(slope) * n * (n + one) * (n + n + one) * Rational(1, 6);
    const Interval s = root(squares), most = greatest_sum(term.rounded);
    const Interval moved = ((one + root(Interval(Rational(2)))) * s * root(most) + square(s)).from_zero();
    const Interval grown = accumulated_rounding(model, *count.high) + one, product = power(one + u, 3);
    const Interval relative = (product * grown - one).upper_end().from_zero();
    const Interval rest = (product * grown * moved + scale2(n * h * grown, 1)).from_zero();
    // Of the inputs' own errors: 2 sqrt(M) sqrt(n) v + n v^2, sqrt(M) <= sqrt(n) R / 2.
    const Interval inputs = (n * (width(term.exact) * off + square(off))).from_zero();
    out.relative = relative;
    out.rest = (rest + inputs * (relative + one)).from_zero();
    out.absolute = (relative * greatest_sum(term.exact) + out.rest).from_zero();
    add_shares(out, term, 1);
    add_share(out,
              "deviations of " + count.high->get_str() + " " + describe(found->x, 1) + " from a running mean",
              (relative * most + rest).from_zero());
    out.rounded = hull(Interval(), most) + (relative * most + rest).symmetric();
  }
  out.grid = model.least_exponent();
  out.significant = model.precision();
  settle(out);
  return out;
}

}  // namespace hallmark::numerics
