// Sums that are rescaled as a running maximum grows: online softmax, flash attention.
//
//   m' = max(m, x_k)      s' = s e^(m - m') + e^(x_k - m')      o' = o e^(m - m') + e^(x_k - m') v_k
// or with a block of terms in each step, x_k the block's maximum and the last summand a sum over the block.
//
// The running maximum is never rounded, so the exact rescalings telescope: the weight of a term in the end is
// e^(x_k - m_n) times roundings, of which
//   - each rescaling pays one exponential, one product and one sum, up to once a step, and
//   - the arguments' roundings, relative to x_k - m_k and to each m_l - m_(l+1), add up to r (m_n - x_k).
// So the computed weight is e^(-t_k) (1 + d_k), |d_k| <= uniform + slope t_k with t_k = m_n - x_k >= 0 and
// one t_k = 0: then the average shift applies (exponential_sum.h). Before the first term the maximum may be
// -infinity: e^(-infinity) = 0 rescales an empty sum.
#include <algorithm>

#include "base/error.h"
#include "contract/format_values.h"
#include "numerics/accuracy.h"
#include "numerics/describe.h"
#include "numerics/exponential_sum.h"
#include "numerics/fold_steps.h"
#include "numerics/transfer.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

const std::vector<Op> maxima{Op::max, Op::maxnum, Op::maximum};

bool is_maximum(Term a) {
  return a->kind == Kind::operation && std::find(maxima.begin(), maxima.end(), a->op) != maxima.end();
}
// Whether a mentions one of the leaves other than inside `opaque`.
bool mentions(Term a, const std::vector<Term>& leaves, Term opaque) {
  if (a == opaque) return false;
  if (std::find(leaves.begin(), leaves.end(), a) != leaves.end()) return true;
  return std::any_of(a->children.begin(), a->children.end(),
                     [&](Term child) { return mentions(child, leaves, opaque); });
}
// e^(left - right): its operands; nothing for other terms.
std::optional<std::pair<Term, Term>> shifted_exponential(Term a) {
  const bool exponential = a->kind == Kind::operation &&
                           (a->op == Op::exp || (a->op == Op::custom && a->name.rfind("exp_", 0) == 0));
  if (!exponential) return std::nullopt;
  const Term argument = a->children[0];
  if (argument->kind != Kind::operation || argument->op != Op::sub) return std::nullopt;
  return std::pair(argument->children[0], argument->children[1]);
}

}  // namespace

struct TermAnalysis::Rescaling {
  std::size_t maximum = 0;     // which state
  Term running = nullptr;      // m', the step of that state
  Term term = nullptr;         // x_k
  Term rescale = nullptr;      // e^(m - m')
  Term exponential = nullptr;  // e^(y - m')
  Term exponent = nullptr;     // y: x_k, or the block's terms
  Term weight = nullptr;       // v; nothing: 1
  Term added = nullptr;        // what a step adds
  std::optional<Family> block;
  // Roundings of a step: none where the operation is part of a fused one.
  std::optional<RoundingModel> rescaled_product, weighted_product, sum;
};

std::optional<TermAnalysis::Rescaling> TermAnalysis::rescaling(Term a, const FoldParts& parts) {
  if (parts.guard->kind != Kind::truth || parts.guard->number == 0) return std::nullopt;
  if (parts.order->kind != Order::Kind::seq && parts.order->kind != Order::Kind::any) return std::nullopt;
  const std::size_t which = static_cast<std::size_t>(a->which);
  const Term step = parts.step[which], own = parts.states[which];
  const bool floats = a->sort.kind == Sort::Kind::floating;
  const auto model = [&](Term t) -> std::optional<RoundingModel> {
    if (!floats) return std::nullopt;
    return RoundingModel{t->sort.format, t->rounding, t->flush_subnormals};
  };
  for (std::size_t j = 0; j < parts.states.size(); ++j) {
    const Term running = parts.step[j];
    if (j == which || !is_maximum(running) || running->children.size() != 2) continue;
    Rescaling out;
    out.maximum = j;
    out.running = running;
    const bool left = running->children[0] == parts.states[j];
    if (!left && running->children[1] != parts.states[j]) continue;
    out.term = running->children[left ? 1 : 0];
    if (mentions(out.term, parts.states, nullptr)) continue;

    // own * e^(m - m') with anything else than that refused.
    const auto take_rescale = [&](Term x, Term y) {
      if (y == own) std::swap(x, y);
      const auto shift = shifted_exponential(y);
      if (x != own || !shift || shift->first != parts.states[j] || shift->second != running) return false;
      out.rescale = y;
      return true;
    };
    const auto rescaled_product = [&](Term t) {
      if (t->kind != Kind::operation || t->op != Op::mul || !take_rescale(t->children[0], t->children[1]))
        return false;
      out.rescaled_product = model(t);
      return true;
    };
    // e^(y - m'), times a weight perhaps.
    const auto take_leaf = [&](const std::vector<Term>& factors) {
      for (std::size_t f = 0; f < factors.size(); ++f) {
        const auto shift = shifted_exponential(factors[f]);
        if (!shift || shift->second != running || mentions(shift->first, parts.states, nullptr)) continue;
        out.exponential = factors[f];
        out.exponent = shift->first;
        if (factors.size() == 2) out.weight = factors[1 - f];
        return out.weight == nullptr || !mentions(out.weight, parts.states, nullptr);
      }
      return false;
    };
    const auto leaf = [&](Term t) {
      if (t->kind == Kind::operation && t->op == Op::mul) {
        out.weighted_product = model(t);
        return take_leaf(t->children);
      }
      return take_leaf({t});
    };
    const auto added = [&](Term t) {
      out.added = t;
      if (t->kind != Kind::fold) return leaf(t);
      if (t->size != 1 || mentions(t, parts.states, running)) return false;
      const FoldParts inner = open(t);
      const Term inner_step = inner.step[0];
      if (inner.guard->kind != Kind::truth || inner.guard->number == 0) return false;
      if (inner_step->kind == Kind::operation && inner_step->op == Op::fma &&
          inner_step->children[2] == inner.states[0]) {
        Family block;
        block.fold = t;
        block.variables = {inner.variable};
        block.extents = {inner.extent};
        block.guard = inner.guard;
        out.block = block;
        return inner.init[0]->kind == Kind::constant && inner.init[0]->value == 0 &&
               inner.init[0]->bits == 0 && take_leaf({inner_step->children[0], inner_step->children[1]});
      }
      out.block = Facts::family(t, {Op::add});
      return out.block && out.block->variables.size() == 1 && leaf(out.block->body);
    };
    bool known = false;
    if (step->kind == Kind::operation && step->op == Op::add) {
      out.sum = model(step);
      for (const std::size_t side : {0, 1})
        known = known || (rescaled_product(step->children[side]) && added(step->children[1 - side]));
    } else if (step->kind == Kind::operation && step->op == Op::fma) {
      out.sum = model(step);
      const Term x = step->children[0], y = step->children[1], z = step->children[2];
      if (take_rescale(x, y)) {
        known = added(z);
      } else if (rescaled_product(z)) {
        known = take_leaf({x, y});
      }
    }
    if (!known) continue;
    // x_k is y itself, or the greatest of the block's.
    if (!out.block) {
      if (out.exponent != out.term) continue;
    } else {
      const auto greatest = Facts::family(facts_.resolve(out.term), maxima);
      if (!greatest || greatest->start != nullptr || greatest->variables.size() != 1 ||
          greatest->guard->kind != Kind::truth || greatest->guard->number == 0 ||
          greatest->extents != out.block->extents ||
          substitute(greatest->body, {{greatest->variables[0], out.block->variables[0]}}) != out.exponent)
        continue;
    }
    return out;
  }
  return std::nullopt;
}

std::optional<Value> TermAnalysis::rescaled(Term a, const FoldParts& parts, const IndexRange& count) {
  const auto known = rescaling(a, parts);
  if (!known) return std::nullopt;
  const Rescaling& r = *known;
  const bool floats = a->sort.kind == Sort::Kind::floating;
  if (!count.high) fail(Failure::Kind::unbounded, "a reduction over a size without an upper bound");
  if (*count.low < 1) fail(Failure::Kind::unsupported, "a running maximum over a range that may be empty");
  const Integer steps = *count.high;
  Integer block = 1;
  if (r.block) {
    const IndexRange inner = declare_variable(r.block->variables[0], r.block->extents[0]);
    if (!inner.high || *inner.low < 1)
      fail(Failure::Kind::unsupported, "a running maximum over blocks that may be empty");
    block = *inner.high;
  }
  if (!steps.fits_ulong_p() || steps > Integer("1000000000"))
    fail(Failure::Kind::unbounded, "a rescaled sum over more than 10^9 steps");
  const Integer total = steps * block;

  // ---- ranges. The start of the running maximum may not win over a term.
  const Term start = parts.init[r.maximum], own_start = parts.init[static_cast<std::size_t>(a->which)];
  const bool from_nothing = infinite_start(start) < 0;
  const Value x = value(r.exponent), first = from_nothing ? x : value(start);
  if (!(own_start->kind == Kind::constant && own_start->value == 0 && own_start->bits == 0))
    fail(Failure::Kind::unsupported, "a rescaled sum that starts from a value other than 0");
  if (!x.bounded || !first.bounded ||
      (!from_nothing && (!first.rounded.at_most(x.rounded) || !first.exact.at_most(x.exact))))
    fail(Failure::Kind::unsupported, "the start of a running maximum may be above its terms");
  Value v = exact_value(Interval(Rational(1)));
  if (r.weight != nullptr) v = value(r.weight);
  if (!v.bounded) fail(Failure::Kind::operand, "the weighted values are not bounded");
  const Interval one{Rational(1)}, zero;
  const Interval width = (x.exact.upper_end() - x.exact.lower_end()).from_zero();
  const Interval rounded_width = (x.rounded.upper_end() - x.rounded.lower_end()).from_zero();
  // The sum of the weights: at least that of the maximum, at most one for each term.
  const Interval weights(Rational(1), Rational(total));
  Value out;
  out.exact = r.weight == nullptr ? weights : weights * hull(v.exact, zero);
  if (!floats) {
    out.rounded = out.exact;
    return out;
  }

  // ---- roundings
  const auto relative = [](const std::optional<RoundingModel>& model) {
    return model ? relative_rounding(*model) : Interval();
  };
  // An exponential e^-t with a unit that is exact at 0: off by at most half (1 + t / log 2) of itself
  // (exponential_sum.cpp); the second part joins the slope, since the t of all rescalings telescope.
  Interval argument, argument_rest, call, call_slope, call_rest;
  for (Term e : {r.rescale, r.exponential}) {
    const Accuracy* row = find_accuracy(e->name);
    if (row == nullptr) fail(Failure::Kind::unsupported, "no accuracy is known for the function " + e->name);
    assumptions_.insert(row->assumption);
    call = greater_high(call, row->exact_at_zero ? row->below_one() : row->relative());
    if (row->exact_at_zero)
      call_slope = greater_high(call_slope, (row->below_one() * Rational(14427, 10000)).from_zero());
    call_rest = greater_high(call_rest, row->rest());
    const Term shift = e->children[0];
    const RoundingModel model{shift->sort.format, shift->rounding, shift->flush_subnormals};
    argument = greater_high(argument, relative_rounding(model));
    argument_rest = greater_high(argument_rest, rest_of_rounding(model, SubnormalResults::exact));
    const Interval largest(contract::largest_value(model.format));
    if (!high_at_most(first.rounded.magnitude() + x.rounded.magnitude(), largest))
      fail(Failure::Kind::overflow, "the start of a running maximum less a term may overflow");
  }
  Value::OwnRoundings inner{zero, zero, zero};
  if (r.block) {
    // The block's sum, with the running maximum standing for what it is.
    frames_.emplace_back();
    try {
      Value running = x;
      forget_form(running);
      frames_.back()[r.running] = running;
      const Value sum = value(r.added);
      frames_.pop_back();
      if (!sum.own_sum) fail(Failure::Kind::unsupported, "the sum over a block is not understood");
      inner = *sum.own_sum;
    } catch (const AnalysisFailure&) {
      frames_.pop_back();
      throw;
    }
  }
  const unsigned long n = steps.get_ui();
  // (1 + a (1 + t b)) <= e^a e^(a b t)
  Interval grown = exp((call * Rational(steps)).from_zero()) * power(relative(r.sum) + Rational(1), n) *
                   (inner.relative + Rational(1));
  if (r.rescaled_product && n > 1) grown = grown * power(relative(r.rescaled_product) + Rational(1), n - 1);
  if (r.weighted_product) grown = grown * (relative(r.weighted_product) + Rational(1));
  grown =
      grown * exp((x.absolute * Rational(2) + argument_rest * Rational(steps) * (call_slope + Rational(1)))
                      .from_zero());
  const Interval rate = (argument + call_slope * (argument + Rational(1))).from_zero();
  const Interval slope = (rate * grown * exp((rate * rounded_width).from_zero())).from_zero();
  const Interval uniform = (grown + Rational(-1)).from_zero() + slope * x.absolute.from_zero() * Rational(2);
  const Interval off = (uniform + slope * average_shift(total, width)).from_zero();

  // ---- what underflows: in each step less than this, and everything later grows it by less than `grown`.
  const Interval value_size = v.rounded.magnitude().from_zero();
  const Interval most = (Interval(Rational(total)) * value_size * Rational(2) + one).from_zero();
  Interval tiny;
  for (const auto& model : {r.rescaled_product, r.weighted_product, r.sum})
    if (model) tiny = (tiny + rest_of_rounding(*model, SubnormalResults::rounded)).from_zero();
  const Interval leaf_rest = Interval(Rational(block)) * (call_rest * value_size + tiny);
  const Interval rest = (Interval(Rational(steps)) * grown * (inner.relative + Rational(1)) *
                         (call_rest * most + tiny * Rational(2) + leaf_rest + inner.rest))
                            .from_zero();
  const Interval all =
      (Interval(Rational(total)) * value_size * (one + uniform + slope * (width + x.absolute * Rational(2))) +
       rest)
          .from_zero();
  const RoundingModel stored = *r.sum;
  if (!high_at_most(all, most) || !high_at_most(most, Interval(contract::largest_value(stored.format))))
    fail(Failure::Kind::overflow, "a rescaled sum is too long for its format");

  const Interval each = (off * value_size + v.absolute).from_zero();
  const Interval biggest = weights.upper_end();
  out.absolute = (biggest * each + rest).from_zero();
  out.rest = out.absolute;
  if (r.weight == nullptr) {
    out.relative = off;
    out.rest = rest;
  }
  out.rounded = out.exact + out.absolute.symmetric();
  if (r.weight == nullptr) out.rounded = max(out.rounded, zero);
  out.grid = stored.least_exponent();
  out.significant = stored.precision();
  const std::string label = "rescaled sum of " + steps.get_str() + " steps, " + describe(r.exponent, 1);
  add_share(out, label, out.absolute);
  settle(out);
  out.weighted = Value::Weighted{each, rest, r.weight == nullptr ? one : v.exact};
  theorems_.insert("rescaled-sum");
  return out;
}

}  // namespace hallmark::numerics
