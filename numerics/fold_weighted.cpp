// Weighted means: sum p_k v_k with shares p_k = e_k / sum e_k, and the quotient of sum w_k v_k by sum w_k.
// The weights add up to 1, which intervals of single products cannot see.
#include "base/error.h"
#include "contract/format_values.h"
#include "numerics/describe.h"
#include "numerics/fold_steps.h"
#include "numerics/sum_error.h"
#include "numerics/transfer.h"

namespace hallmark::numerics {

using namespace calculus;

// sum over all k of p_k v_k, p_k a share of the sum over the same k. Nothing when the fold is not one.
//   |sum p'_k v'_k - sum p_k v_k| <= sum |p'_k - p_k| |v'_k| + sum p_k |v'_k - v_k|, and sum p_k = 1.
std::optional<Value> TermAnalysis::weighted_mean(const Steps& s, const Value& init, const FoldParts& parts,
                                                 const TreeShape* shape) {
  if (settings_.local || s.variables.size() != 1 || !init.exact.is_zero() || !init.rounded.is_zero())
    return std::nullopt;
  if (parts.guard->kind != Kind::truth || parts.guard->number == 0 || s.guards.size() != 1)
    return std::nullopt;
  std::vector<Term> factors = s.term;
  const bool product = !s.fused && factors[0]->kind == Kind::operation && factors[0]->op == Op::mul;
  RoundingModel product_model;
  if (product) {
    product_model = {s.rounds ? factors[0]->sort.format : Format::f64, factors[0]->rounding,
                     factors[0]->flush_subnormals};
    factors = s.term[0]->children;
  }
  if (factors.size() != 2) return std::nullopt;
  for (const std::size_t side : {0, 1}) {
    const Term share = facts_.resolve_exact(factors[side]);
    if (share->kind != Kind::operation || share->op != Op::div) continue;
    const auto total = Facts::family(facts_.resolve_exact(share->children[1]), {Op::add});
    if (!total || total->variables.size() != 1 || total->guard->kind != Kind::truth ||
        total->guard->number == 0 || total->extents[0] != parts.extent)
      continue;
    const Term member = substitute(total->body, {{total->variables[0], s.variables[0]}});
    if (facts_.resolve_exact(member) != facts_.resolve_exact(share->children[0])) continue;
    const Value p = value(factors[side]), v = value(factors[1 - side]);
    // A quotient of a non-negative term by the sum of such terms, and never without a value.
    if (!p.bounded || !v.bounded || !p.exact.is_nonnegative()) continue;
    const Interval one(Rational(1)), most = v.rounded.magnitude().from_zero();
    const Interval count{Rational(s.high)};
    const Interval moved = (p.relative + count * p.rest).from_zero();
    const Interval weights = (moved + one).from_zero();
    Value out;
    out.exact = hull(v.exact, Interval());
    out.absolute = (moved * most + v.absolute).from_zero();
    Interval sizes = (weights * most).from_zero();
    add_shares(out, v, 1);
    add_share(out, "weights " + describe(factors[side], 1), (moved * most).from_zero());
    if (product && s.rounds) {
      const Interval own = (sizes * relative_rounding(product_model) +
                            count * rest_of_rounding(product_model, SubnormalResults::rounded))
                               .from_zero();
      out.absolute = (out.absolute + own).from_zero();
      sizes = (sizes + own).from_zero();
      add_share(out, describe(s.term[0], 2), own);
    }
    if (shape != nullptr && s.rounds) {
      const Interval gamma = accumulated_rounding(s.model, shape->height);
      const Interval lost =
          rest_of_rounding(s.model, s.fused ? SubnormalResults::rounded : SubnormalResults::exact) *
          Rational(shape->operations) * (gamma + Rational(1)).upper_end();
      const Interval own = (gamma * sizes + lost).from_zero();
      if (!high_at_most(sizes + own, Interval(contract::largest_value(s.model.format)))) return std::nullopt;
      out.absolute = (out.absolute + own).from_zero();
      add_share(out, "sum of " + s.high.get_str() + " weighted " + describe(factors[1 - side], 1), own);
      out.grid = s.model.least_exponent();
      out.significant = s.model.precision();
    }
    out.rest = out.absolute;
    out.rounded = out.exact + out.absolute.symmetric();
    theorems_.insert("weighted-mean");
    settle(out);
    return out;
  }
  return std::nullopt;
}

// (sum w_k v_k) / (sum w_k), both accumulated by one fold: the quotient is a mean of the v_k, and the error
// of the numerator counts against the weights.
void TermAnalysis::apply_weighted_quotient(Term a, const Value& numerator, const Value& denominator,
                                           Value& v) {
  if (!numerator.weighted || !denominator.weighted || !v.bounded || !denominator.exact.is_positive()) return;
  const Term above = facts_.resolve(a->children[0]), below = facts_.resolve(a->children[1]);
  if (above->kind != Kind::fold || below->kind != Kind::fold || above->size != below->size) return;
  for (int i = 0; i < 2 + 2 * above->size; ++i)
    if (above->children[static_cast<std::size_t>(i)] != below->children[static_cast<std::size_t>(i)]) return;
  const Interval one(Rational(1));
  if (!denominator.weighted->values.is_point() || !denominator.weighted->values.contains(Rational(1))) return;
  const Interval values = hull(numerator.weighted->values, Interval());
  const Interval size = values.magnitude().from_zero();
  // Relative to the sum of the weights.
  const MaybeInterval above_rest =
                          divide(numerator.weighted->rest.from_zero(), denominator.exact.lower_end()),
                      below_rest =
                          divide(denominator.weighted->rest.from_zero(), denominator.exact.lower_end());
  if (!above_rest || !below_rest) return;
  const Interval off = (denominator.weighted->each + *below_rest).from_zero();
  const Interval left = one - off.upper_end();
  if (!left.is_positive()) return;
  const MaybeInterval absolute =
      divide((numerator.weighted->each + *above_rest + size * off).from_zero(), left);
  if (!absolute) return;
  theorems_.insert("weighted-mean");
  if (const MaybeInterval inside = intersect(v.exact, values); inside) v.exact = *inside;
  v.absolute = smaller_high(v.absolute, *absolute).from_zero();
  settle(v);
}

}  // namespace hallmark::numerics
