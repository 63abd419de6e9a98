#include "numerics/exponential_sum.h"

#include <cmath>

#include "numerics/accuracy.h"
#include "numerics/fold_steps.h"
#include "numerics/transfer.h"

namespace hallmark::numerics {

using namespace calculus;

Interval average_shift(const Integer& count, const Interval& greatest) {
  const Interval most = greatest.upper_end().from_zero();
  if (count <= 1) return Interval();
  // Newton for l e^l = (n - 1) / e; only a guess, the inequality is checked below.
  const double target = Integer(count - 1).get_d() / std::exp(1.0);
  if (!std::isfinite(target)) return most;
  double l = std::log1p(target);
  for (int i = 0; i < 60; ++i) l -= (l * std::exp(l) - target) / (std::exp(l) * (1 + l));
  if (!(l >= 0) || !std::isfinite(l)) return most;
  const Interval guess(exact_rational(l * (1 + 1e-9) + 1e-9));
  const Interval right = Interval(Rational(count - 1)) * exp(-(guess + Rational(1)));
  if (!right.at_most(guess)) return most;
  return smaller_high(guess, most).from_zero();
}

namespace {

bool has_float_constants(Term a) {
  bool found = false;
  for_each_node(a, [&](Term node) {
    found =
        found || (node->kind == Kind::constant && node->sort.kind == Sort::Kind::floating && node->bits != 0);
  });
  return found;
}

}  // namespace

bool TermAnalysis::attained_by_member(const Maximum& maximum) {
  if (maximum.others.empty()) return true;
  const Family& f = maximum.family;
  // With a start value of its own the reduction says nothing about its members: each of them has to win.
  for (std::size_t i = 0; i < f.variables.size(); ++i) declare_variable(f.variables[i], f.extents[i]);
  const Value greatest = value(f.start == nullptr ? f.fold : f.body);
  for (Term other : maximum.others) {
    const Value o = value(other);
    if (!o.bounded || !greatest.bounded || !o.rounded.at_most(greatest.rounded) ||
        !o.exact.at_most(greatest.exact))
      return false;
  }
  return true;
}

// The terms of a sum of shifted exponentials: computed e^(x - m) (1 + d_k) + r_k with |d_k| <= uniform +
// slope * t_k, |r_k| <= rest.
std::optional<TermAnalysis::WeightedTerms> TermAnalysis::shifted_exponentials(const Family& sum) {
  if (settings_.local) return std::nullopt;
  const auto maximum = facts_.maximum_of_shifted_exponential(sum);
  if (!maximum) return std::nullopt;
  const Term exponential = maximum->exponential, argument = exponential->children[0];
  // Terms of another definition: what its constants stand for is not known here.
  if (sum.body->kind == Kind::load && has_float_constants(argument)) return std::nullopt;
  WeightedTerms out;
  out.count = 1;
  for (std::size_t i = 0; i < sum.variables.size(); ++i) {
    const IndexRange count = declare_variable(sum.variables[i], sum.extents[i]);
    if (!count.high) return std::nullopt;
    out.count *= std::max(Integer(0), *count.high);
  }
  bool attained = scope_.always_some(sum.variables, maximum->where);
  std::optional<Value> shift;
  try {
    shift = value(argument);
    attained = attained && attained_by_member(*maximum);
  } catch (const AnalysisFailure&) {
    return std::nullopt;  // nothing is known; the generic bound stands
  }
  if (!shift->bounded) return std::nullopt;
  const Accuracy* row = find_accuracy(exponential->name);
  if (exponential->sort.kind == Sort::Kind::floating && row == nullptr) return std::nullopt;
  out.greatest = shift->exact.magnitude().from_zero();
  Interval own = row != nullptr ? row->relative() : Interval(), own_slope;
  if (row != nullptr && row->exact_at_zero) {
    // Below 1 a unit is half as large against 1: off by half e^t <= half (1 + t / log 2) while t <= log 2,
    // and by no more than 2 half beyond. 1 / log 2 < 14427 / 10000. The shift that counts is the rounded one.
    const Interval steep =
        row->below_one() * Rational(14427, 10000) * (shift->relative.from_zero() + Rational(1));
    const Interval half = row->below_one() + steep * shift->rest.from_zero();
    const Interval shifts = average_shift(out.count, out.greatest);
    if (attained && mpfr_less_p((half + steep * shifts).high(), own.high()) != 0) {
      own = half;
      own_slope = steep.from_zero();
    }
  }
  const Interval grown = exp(shift->rest.from_zero()) * (own + Rational(1));
  out.uniform = (grown + Rational(-1)).from_zero();
  // e^(r t) - 1 <= r t e^(r T)
  const Interval rate = (shift->relative + own_slope).from_zero();
  out.slope = (grown * rate * exp((rate * out.greatest).from_zero())).from_zero();
  out.rest = row != nullptr ? row->rest() : Interval();
  out.attained = attained;
  out.average = attained ? average_shift(out.count, out.greatest) : out.greatest;
  return out;
}

// A sum of computed shifted exponentials, against the exact one: the errors of the arguments count with the
// average shift.
void TermAnalysis::apply_average_shift(Term a, Value& v) {
  if (!v.bounded || !v.own_sum) return;
  const auto family = Facts::family(a, {Op::add});
  const auto terms = family ? shifted_exponentials(*family) : std::nullopt;
  if (!terms) return;
  const Interval off = terms->uniform + terms->slope * terms->average;
  const Interval relative = (off + v.own_sum->relative * (off + Rational(1))).from_zero();
  const Interval rest =
      (Interval(Rational(terms->count)) * terms->rest * (v.own_sum->relative + Rational(1)) + v.own_sum->rest)
          .from_zero();
  const Interval size = v.exact.magnitude();
  if (!mpfr_less_p((relative * size + rest).high(), (v.relative * size + v.rest).high())) return;
  theorems_.insert("average-shift");
  v.relative = relative;
  v.rest = rest;
  settle(v);
}

// p = e_i / S, S = sum of all e_k >= 0, e_i one of them. With e'_k = e_k (1 + d_k) + r_k and D = sum p_k d_k,
//   p' / p = (1 + d_i) / (1 + D) up to what r and the roundings of the sum add, and
//   p (d_i - D) / (1 + D) = p ((1 - p) d_i - sum over the others of p_k d_k) / (1 + D).
// With |d_k| <= c + d t_k and A = sum p_k t_k that is at most 2 c p (1 - p) + d p (A + t_i (1 - 2 p)) above.
// p (1 - p) <= 1/4; and p t_i <= 1 / e. Where one shift is 0, its share p_0 is the greatest, so that
//   p t_i <= t / (1 + e^t) < 0.27847, and p A = e^(-t) p_0 A with p_0 A <= G = ln(n - 1) / 4 + 0.22388: for
//   W = S - 1 the n - 1 others have sum w t <= W ln((n - 1) / W) (entropy), and W / (1 + W)^2 <= 1/4,
//   W ln(1/W) / (1 + W)^2 < 0.22388. Both together are at most G where G >= 1/2: e^(-t) G + t / (1 + e^t) <=
//   G because 2 t <= 2 sinh t = (1 - e^(-t))(1 + e^t).
// Two terms: p (A + t (1 - 2 p)) = p (1 - p) t < 0.22388, for either.
void TermAnalysis::apply_share_of_sum(Term a, const Family& sum, const Value& denominator, Value& v) {
  if (settings_.local || !v.bounded || !denominator.own_sum || !denominator.exact.is_positive()) return;
  const bool elsewhere = sum.fold != a->children[1];
  std::optional<WeightedTerms> terms = shifted_exponentials(sum);
  if (!terms) {
    if (elsewhere && sum.body->kind != Kind::load && has_float_constants(sum.body)) return;
    WeightedTerms plain;
    plain.count = 1;
    for (std::size_t i = 0; i < sum.variables.size(); ++i) {
      const IndexRange count = declare_variable(sum.variables[i], sum.extents[i]);
      if (!count.high) return;
      plain.count *= std::max(Integer(0), *count.high);
    }
    const Value term = value(sum.body);
    if (!term.bounded || !term.exact.is_nonnegative() || !term.rounded.is_nonnegative()) return;
    plain.uniform = term.relative;
    plain.rest = term.rest;
    terms = plain;
  }
  const WeightedTerms& t = *terms;
  const Interval one(Rational(1));
  const Interval left = one - (t.uniform + t.slope * t.average).upper_end();
  if (!left.is_positive()) return;
  const Interval least = denominator.exact.lower_end() * left.lower_end();
  const MaybeInterval lost =
      divide((Interval(Rational(t.count)) * t.rest * (denominator.own_sum->relative + Rational(1)) +
              denominator.own_sum->rest)
                 .from_zero(),
             least);
  const MaybeInterval term_rest = divide(t.rest.from_zero(), least);
  if (!lost || !term_rest) return;
  const Interval own = (denominator.own_sum->relative + *lost).from_zero();
  const Interval left_own = one - own.upper_end();
  if (!left_own.is_positive()) return;
  const Interval share = min(v.exact.magnitude(), one).from_zero();
  const Interval quarter = smaller_high(Interval(Rational(1, 4)), share).from_zero();
  // p t_i is also at most the greatest share times the greatest shift.
  const Interval furthest = (share * t.greatest).from_zero(), averaged = (t.average * share).from_zero();
  Interval sloped =
      t.attained ? smaller_high(Interval(Rational(36788, 100000)), furthest) + averaged : furthest + averaged;
  if (t.attained && t.count >= 2) {
    const Interval steepest(Rational(22388, 100000)), others(Rational(t.count - 1));
    const Interval of_greatest =
        smaller_high(scale2(unary(Op::log, others).value(), -2) + steepest, averaged).from_zero();
    const Interval away = smaller_high(Interval(Rational(27847, 100000)), furthest);
    const Interval both =
        smaller_high(greater_high(of_greatest, Interval(Rational(1, 2))), of_greatest + away);
    sloped = smaller_high(sloped, t.count == 2 ? steepest : both);
  }
  sloped = sloped.from_zero();
  const MaybeInterval moved =
      divide((t.uniform * quarter * Rational(2) + t.slope * sloped).from_zero(), left);
  const MaybeInterval ratio =
      divide((t.uniform * Rational(2) + t.slope * (t.greatest + t.average)).from_zero(), left);
  Interval own_share = (share * denominator.own_sum->relative).from_zero();
  // Exponentials are at most 1, so that p <= 1 / S, and the sum's own roundings are off by g - v / S of it, v
  // = saved / (1 + D): at most (g - v / S) / S, which falls with S from S = 2 v / g on, where it is g^2 / 4
  // v.
  if (t.attained && mpfr_sgn(denominator.own_sum->saved.low()) > 0) {
    const Interval g = denominator.own_sum->relative.upper_end(), small = denominator.exact.lower_end();
    const MaybeInterval v =
        divide(denominator.own_sum->saved.lower_end(), (one + t.uniform + t.slope * t.average).upper_end());
    const MaybeInterval turn = v ? divide(scale2(v->lower_end(), 1), g) : std::nullopt;
    if (turn && v->is_positive()) {
      const Interval saved = v->lower_end();
      const MaybeInterval most = turn->upper_end().at_most(small)
                                     ? divide(g - divide(saved, small).value(), small)
                                     : divide(square(g), scale2(saved, 2));
      if (most) own_share = smaller_high(own_share, *most).from_zero();
    }
  }
  const MaybeInterval absolute =
      divide((*moved + *term_rest + own_share + share * *lost).from_zero(), left_own);
  const MaybeInterval relative = divide((*ratio + own).from_zero(), left_own);
  const MaybeInterval rest = divide(term_rest->from_zero(), left_own);
  theorems_.insert("share-of-sum");
  const double before = as_double(v.absolute);
  v.absolute = smaller_high(v.absolute, *absolute).from_zero();
  if (mpfr_less_p((*relative * share + *rest).high(), (v.relative * share + v.rest).high())) {
    v.relative = relative->from_zero();
    v.rest = rest->from_zero();
  }
  const double after = as_double(v.absolute);
  if (before > 0 && after < before)
    for (auto& [label, amount] : v.shares) amount *= after / before;
  settle(v);
}

}  // namespace hallmark::numerics
