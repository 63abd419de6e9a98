// Folds of TermAnalysis: sums and extrema in closed form, for any number of steps; short ones step by step;
// others by induction on ranges.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "contract/format_values.h"
#include "formulation/lane_order.h"
#include "formulation/round_constant.h"
#include "numerics/accuracy.h"
#include "numerics/describe.h"
#include "numerics/fold_order.h"
#include "numerics/fold_steps.h"
#include "numerics/sum_error.h"
#include "numerics/term_analysis.h"
#include "numerics/transfer.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

constexpr long unrolling_limit = 64;

bool mentions(Term a, const std::vector<Term>& leaves) {
  bool found = false;
  for_each_node(
      a, [&](Term node) { found = found || std::find(leaves.begin(), leaves.end(), node) != leaves.end(); });
  return found;
}

bool is_maximum(Op op) {
  return op == Op::max || op == Op::maxnum || op == Op::maximum;
}
bool is_minimum(Op op) {
  return op == Op::min || op == Op::minnum || op == Op::minimum;
}

bool is_zero(Term init) {
  return init->kind == Kind::constant && init->value == 0 && init->bits == 0;
}

// Lanes that are put together by what the steps do, rounded alike: the closed forms know no other.
bool combines_alike(const FoldParts& parts, std::size_t which, Op op, const RoundingModel& model) {
  if (!formulation::may_combine(parts)) return true;
  if (!formulation::combines_by(parts, which, op)) return false;
  const Term joined = parts.combine[which];
  return joined->sort.kind != Sort::Kind::floating ||
         (joined->sort.format == model.format && joined->rounding == model.rounding &&
          joined->flush_subnormals == model.flush_subnormals);
}

}  // namespace

bool is_operation(Term a, Op op) {
  return a->kind == Kind::operation && a->op == op;
}

Term other_operand(Term sum, Term one) {
  if (!is_operation(sum, Op::add)) return nullptr;
  if (sum->children[0] == one) return sum->children[1];
  return sum->children[1] == one ? sum->children[0] : nullptr;
}

int infinite_start(Term init) {
  if (init->kind == Kind::extreme) return init->number;
  if (init->kind != Kind::constant || init->sort.kind != Sort::Kind::floating ||
      init->sort.format == Format::f8e4m3)
    return 0;
  for (const int sign : {-1, 1})
    if (init->bits == formulation::infinity_bits(sign, init->sort.format)) return sign;
  return 0;
}

IndexRange TermAnalysis::declare_variable(Term variable, Term extent) {
  IndexRange count = scope_.range(extent);
  if (!count.low || *count.low < 0) count.low = 0;
  const bool one_number = count.high && *count.high <= *count.low && encloses_exact(extent);
  extents_same_ = extents_same_ && (one_number || same_index(extent));
  IndexRange range{Integer(0), count.high};
  if (range.high) range.high = std::max(Integer(0), Integer(*range.high - 1));
  scope_.declare(variable, range, extent);
  return count;
}

// Recognises op(state, term), a fused step, a guarded step, and a fold that carries on from the state.
std::optional<TermAnalysis::Steps> TermAnalysis::steps(Term step, Term state,
                                                       const std::vector<Term>& other_states) {
  std::vector<Term> all_states = other_states;
  all_states.push_back(state);
  if (step->kind == Kind::operation) {
    Steps s;
    s.op = step->op;
    s.rounds = step->sort.kind == Sort::Kind::floating;
    s.model = {s.rounds ? step->sort.format : Format::f64, step->rounding, step->flush_subnormals};
    s.low = s.high = 1;
    if (step->op == Op::fma && step->children[2] == state) {
      s.op = Op::add;
      s.fused = true;
      s.term = {step->children[0], step->children[1]};
    } else if (step->children.size() == 2 && step->op != Op::custom) {
      const bool first = step->children[0] == state;
      if (!first && (step->children[1] != state || step->op == Op::sub)) return std::nullopt;
      s.term = {step->children[first ? 1 : 0]};
    } else {
      return std::nullopt;
    }
    for (Term t : s.term)
      if (mentions(t, all_states)) return std::nullopt;
    const bool known = s.op == Op::add || is_maximum(s.op) || is_minimum(s.op);
    if (!known) return std::nullopt;
    // A maximum of maxima is one maximum over both ranges.
    while (s.term[0]->kind == Kind::fold && (is_maximum(s.op) || is_minimum(s.op)) && s.term[0]->size == 1 &&
           infinite_start(open(s.term[0]).init[0]) == (is_maximum(s.op) ? -1 : 1)) {
      const FoldParts inner = open(s.term[0]);
      const IndexRange count = declare_variable(inner.variable, inner.extent);
      const auto nested = steps(inner.step[0], inner.states[0], {});
      if (!nested || nested->op != s.op || !count.high || !combines_alike(inner, 0, s.op, nested->model))
        break;
      s.low *= *count.low * nested->low;
      s.high *= *count.high * nested->high;
      s.variables.push_back(inner.variable);
      s.variables.insert(s.variables.end(), nested->variables.begin(), nested->variables.end());
      s.guards.push_back(inner.guard);
      s.guards.insert(s.guards.end(), nested->guards.begin(), nested->guards.end());
      s.term = nested->term;
    }
    return s;
  }
  if (step->kind == Kind::select && (step->children[1] == state || step->children[2] == state)) {
    const bool kept = step->children[1] == state;
    auto s = steps(step->children[kept ? 2 : 1], state, other_states);
    if (!s || mentions(step->children[0], all_states)) return std::nullopt;
    s->guards.push_back(kept ? negation(step->children[0]) : step->children[0]);
    return s;
  }
  if (step->kind == Kind::fold && step->size == 1) {
    const FoldParts inner = open(step);
    if (inner.init[0] != state || mentions(inner.guard, all_states)) return std::nullopt;
    for (Term t : inner.step)
      if (mentions(t, all_states)) return std::nullopt;
    const IndexRange count = declare_variable(inner.variable, inner.extent);
    if (!count.high) return std::nullopt;
    auto s = steps(inner.step[0], inner.states[0], {});
    if (!s || !combines_alike(inner, 0, s->op, s->model)) return std::nullopt;
    s->low *= *count.low;
    s->high *= *count.high;
    s->variables.push_back(inner.variable);
    s->guards.push_back(inner.guard);
    s->orders.insert(s->orders.begin(), inner.order);
    return s;
  }
  return std::nullopt;
}

// A fold, and all folds that it takes in, over as many steps on rounded operands as on exact ones: all that
// is claimed of the error below rests on it.
Value TermAnalysis::fold(Term a) {
  struct Kept {
    bool& flag;
    bool before = std::exchange(flag, true);
    ~Kept() { flag = before; }
  } const kept{extents_same_};
  Value v = fold_in_steps(a);
  if (extents_same_) return v;
  unbound(v);
  v.same = false;
  v.exact_truth = {};
  return v;
}

Value TermAnalysis::fold_in_steps(Term a) {
  const FoldParts parts = open(a);
  const std::size_t which = static_cast<std::size_t>(a->which);
  const IndexRange count = declare_variable(parts.variable, parts.extent);
  if (count.high && *count.high <= 0) {
    Value v = value(parts.init[which]);
    forget_form(v);
    return v;
  }
  if (is_element(a->sort)) {
    std::vector<Term> others = parts.states;
    others.erase(others.begin() + a->which);
    auto s = mentions(parts.guard, parts.states) ? std::nullopt
                                                 : steps(parts.step[which], parts.states[which], others);
    if (s && !combines_alike(parts, which, s->op, s->model))
      fail(Failure::Kind::unsupported, "lanes that are put together otherwise than by what the steps do");
    if (s) {
      if (!count.high) fail(Failure::Kind::unbounded, "a reduction over a size without an upper bound");
      s->low *= *count.low;
      s->high *= *count.high;
      s->variables.push_back(parts.variable);
      s->guards.push_back(parts.guard);
      s->orders.insert(s->orders.begin(), parts.order);
      if (s->op == Op::add) {
        if (infinite_start(parts.init[which]) != 0)
          fail(Failure::Kind::overflow, "a sum that starts from an infinity");
        return sum(a, *s, value(parts.init[which]), parts);
      }
      return extremum(a, *s, parts);
    }
  }
  if (is_element(a->sort)) {
    if (auto v = compensated(a, parts, count); v) return *v;
    if (auto v = running_mean(a, parts, count); v) return *v;
    if (auto v = rescaled(a, parts, count); v) return *v;
  }
  if (count.high && *count.high <= unrolling_limit) {
    const bool finite =
        std::all_of(parts.init.begin(), parts.init.end(), [](Term t) { return infinite_start(t) == 0; });
    // In any order: only where none but the sequence is legal, or where nothing is rounded.
    const bool sequential =
        parts.order->kind == Order::Kind::seq ||
        (parts.order->kind == Order::Kind::any && !formulation::may_combine(parts) &&
         (a->sort.kind != Sort::Kind::floating || formulation::step_operation(parts, which) == Op::none));
    if (finite && sequential) return unrolled(a, parts, *count.low, *count.high);
  }
  return by_induction(a);
}

// The value of one step's term, under the guards. Factors of a fused step are flushed on their own.
Value TermAnalysis::term_value(const Steps& s, Term guard) {
  const auto factor = [&](Term t) {
    Value v = value(t);
    return s.rounds ? flushed(std::move(v), s.model) : v;
  };
  const auto term = [&] {
    if (!s.fused) return factor(s.term[0]);
    return transfer_multiply(factor(s.term[0]), factor(s.term[1]), s.term[0] == s.term[1]);
  };
  if (guard->kind == Kind::truth) return term();
  scope_.assume(guard);
  frames_.emplace_back();
  const auto leave = [&] {
    frames_.pop_back();
    scope_.forget();
  };
  try {
    narrow_by_comparison(guard, true);
    Value v = term();
    leave();
    return v;
  } catch (const AnalysisFailure&) {
    leave();
    throw;
  }
}

Value TermAnalysis::sum(Term a, const Steps& s, const Value& init, const FoldParts& parts) {
  std::vector<Term> guards;
  for (Term g : s.guards)
    if (g->kind != Kind::truth || g->number == 0) guards.push_back(g);
  const Term guard = conjunction(guards);
  const Value truth = value(guard);
  Integer low = s.low;
  if (!truth.rounded_truth.is_true() || !truth.exact_truth.is_true()) low = 0;
  Value term = term_value(s, guard);
  if (!truth.same) unbound(term);
  if (!s.rounds) {
    if (truth.same && low == s.high)
      if (auto mean = weighted_mean(s, init, parts, nullptr); mean) return *mean;
    Value v = transfer_add(init, transfer_repeat(term, low, s.high));
    apply_exponential_fact(a, v);
    return v;
  }
  if (s.orders[0]->kind == Order::Kind::mma) return tensor_core_sum(s, init, term, low);
  const Term start = parts.init[static_cast<std::size_t>(a->which)];
  const TreeShape shape = shape_of(s, is_zero(start));
  if (truth.same && low == s.high)
    if (auto mean = weighted_mean(s, init, parts, &shape); mean) return *mean;
  theorems_.insert("sum-tree");
  Value v = rounded_sum(s, init, term, low, shape);
  if (!settings_.local && truth.same) apply_mean_shift(s, init, low, shape, v);
  apply_exponential_fact(a, v);
  if (truth.same) apply_average_shift(a, v);
  return v;
}

TreeShape TermAnalysis::shape_of(const Steps& s, bool zero_start) const {
  const bool all_sequential = std::all_of(s.orders.begin(), s.orders.end(),
                                          [](const Order* o) { return o->kind == Order::Kind::seq; });
  if (s.orders.size() != 1 && !all_sequential)
    fail(Failure::Kind::unsupported, "nested reductions in orders other than seq");
  const auto known = tree_shape(*s.orders[0], s.high, zero_start && !s.fused);
  if (!known) fail(Failure::Kind::unsupported, "no bound is known for the order " + to_string(*s.orders[0]));
  if (s.orders[0]->kind != Order::Kind::seq && !zero_start)
    fail(Failure::Kind::unsupported, "an order that starts every lane from a value other than zero");
  if (!known->height.fits_ulong_p() || known->height > Integer("1000000000000000"))
    fail(Failure::Kind::unbounded, "a reduction over more than 10^15 steps");
  return *known;
}

// |computed - sum of the rounded terms| <= ((1 + d)^h - 1) sum |terms| + (1 + d)^h * (what underflows), for
// any tree of height h (Higham, ASNA, 4.2, without first-order approximation).
Value TermAnalysis::rounded_sum(const Steps& s, const Value& init, const Value& term, const Integer& low,
                                const TreeShape& shape) {
  Value v = transfer_add(init, transfer_repeat(term, low, s.high));
  const Interval most{Rational(s.high)};
  const Interval sizes = init.rounded.magnitude() + most * term.rounded.magnitude();
  const auto at_most_power = [&](long exponent) { return mpfr_cmp_ui_2exp(sizes.high(), 1, exponent) <= 0; };
  const long finest = s.model.flush_subnormals ? static_cast<long>(minimum_exponent(s.model.format))
                                               : s.model.least_exponent();
  const Interval largest(contract::largest_value(s.model.format));
  const std::string label = "sum of " + s.high.get_str() + " (" + to_string(*s.orders[0]) +
                            (s.fused ? ", fma" : "") + ", height " + shape.height.get_str() + ") " +
                            describe(s.term[0], 2);
  if (v.grid != Value::no_grid && v.grid >= finest && at_most_power(v.grid + s.model.precision()) &&
      high_at_most(sizes, largest)) {
    // Every partial sum is a multiple of 2^grid below 2^(grid + p): representable, so nothing is rounded.
    theorems_.insert("exact-grid");
    v.own_sum = Value::OwnRoundings{Interval(), Interval(), Interval()};
    return v;
  }
  const Interval gamma = accumulated_rounding(s.model, shape.height);
  const Interval grown = gamma + Rational(1);
  const Interval lost =
      rest_of_rounding(s.model, s.fused ? SubnormalResults::rounded : SubnormalResults::exact) *
      Rational(shape.operations) * grown.upper_end();
  Interval own = (gamma * sizes + lost).from_zero();
  if (!high_at_most(sizes + own, largest))
    fail(Failure::Kind::overflow, label + " may overflow " + std::string(name(s.model.format)) +
                                      ": the magnitudes add up to at most " + upper_text(sizes + own));
  if (s.orders.size() == 1 || s.orders[0]->kind == Order::Kind::seq) {
    const auto nodes = sum_error(*s.orders[0], s.high, term.rounded.magnitude(), init.rounded.magnitude(),
                                 s.model, shape.first_is_exact);
    if (nodes && !high_at_most(own, nodes->error)) own = nodes->error;
  }
  const bool nonnegative = init.rounded.is_nonnegative() && term.rounded.is_nonnegative();
  if (nonnegative) {
    // The error is relative to the sum itself, and rounding does not decrease: nothing goes below 0.
    const Interval down = v.rounded.lower_end() * (Interval(Rational(1)) - gamma) - lost;
    const Interval up = v.rounded.upper_end() * grown + lost;
    const Interval around = v.rounded + own.symmetric();
    v.rounded = max(*intersect(hull(down.lower_end(), up.upper_end()), around), Interval());
  } else {
    v.rounded = v.rounded + own.symmetric();
  }
  if (v.bounded) {
    const bool one_sign = (init.exact.is_nonnegative() && term.exact.is_nonnegative()) ||
                          (init.exact.is_nonpositive() && term.exact.is_nonpositive());
    v.absolute = (v.absolute + own).from_zero();
    if (one_sign) {
      // sum |rounded terms| <= (1 + relative) |exact sum| + rest.
      v.rest = (v.rest * grown + lost).from_zero();
      v.relative = (v.relative + gamma * (v.relative + Rational(1))).from_zero();
    } else {
      v.rest = v.absolute;
      v.relative = Interval();
    }
    add_share(v, label, own);
  }
  v.grid = std::max(v.grid, grid_of_values(v.rounded, s.model));
  v.significant = s.model.precision();
  settle(v);
  v.own_sum = Value::OwnRoundings{gamma, lost.from_zero(), Interval()};
  // A term t that meets d of at most h roundings is off by ((1 + r)^d - 1) t, which is at least (h - d) r t
  // below ((1 + r)^h - 1) t.
  if (low == s.high && s.orders.size() == 1 && shape.first_is_exact && term.rounded.is_positive())
    v.own_sum->saved = relative_rounding(s.model).upper_end() * term.rounded.lower_end() *
                       Rational(spared_roundings(*s.orders[0], s.high));
  return v;
}

// sum (x_k - m)^2 about a computed mean m' and over computed values x'_k. With e_k = x'_k - x_k and e = m' -
// m,
//   sum (x'_k - m')^2 - sum (x_k - m)^2 = 2 sum (x_k - m) e_k - 2 e sum (x_k - m) + sum (e_k - e)^2,
// and sum (x_k - m) = 0 because m is the exact mean: the error of the mean counts only squared. On the values
// x'_k and m' as they are, all terms are squares, so the sum's own roundings are relative to it.
void TermAnalysis::apply_mean_shift(const Steps& s, const Value& init, const Integer& low,
                                    const TreeShape& shape, Value& v) {
  const Term product = s.term[0];
  const bool unfused = !s.fused && product->kind == Kind::operation && product->op == Op::mul &&
                       product->children[0] == product->children[1];
  if (!(s.fused && s.term[0] == s.term[1]) && !unfused) return;
  const Term deviation = unfused ? product->children[0] : product;
  if (deviation->kind != Kind::operation || deviation->op != Op::sub) return;
  const bool plain_start = init.exact.is_zero() && init.rounded.is_zero();
  const bool flushes = s.model.flush_subnormals || deviation->flush_subnormals || product->flush_subnormals;
  if (!v.bounded || !plain_start || flushes || low != s.high) return;
  const auto mean = facts_.mean(deviation->children[1], settings_.constants_of);
  if (!mean || mean->variables.size() != s.variables.size()) return;
  Substitution at;
  for (std::size_t i = 0; i < s.variables.size(); ++i)
    at[mean->variables[i]] = s.variables[s.variables.size() - 1 - i];  // these are innermost first
  Integer count = 1;
  for (Term extent : mean->extents) count *= *as_integer(extent);
  if (count != s.high || substitute(mean->body, at) != deviation->children[0]) return;
  for (std::size_t i = 0; i < s.variables.size(); ++i)
    if (!scope_.inside(at.at(mean->variables[i]), mean->extents[i])) return;
  const Value x = value(deviation->children[0]), m = value(deviation->children[1]);
  if (!x.bounded || !m.bounded) return;

  const auto as_given = [](const Value& operand) {
    Value out = exact_value(operand.rounded);
    out.grid = operand.grid;
    out.significant = operand.significant;
    return out;
  };
  const auto model_of = [](Term t) {
    return RoundingModel{t->sort.format, t->rounding, t->flush_subnormals};
  };
  const Value d = round(transfer_subtract(as_given(x), as_given(m)), model_of(deviation),
                        SubnormalResults::exact, describe(deviation));
  Value term = transfer_multiply(d, d, true);
  if (unfused) term = round(std::move(term), model_of(product), SubnormalResults::rounded, describe(product));
  const Value own = rounded_sum(s, init, term, low, shape);
  const Interval most = (x.exact - m.exact).magnitude();
  const Interval shift =
      (Interval(Rational(count)) * (x.absolute * most * Rational(2) + square(x.absolute + m.absolute)))
          .from_zero();
  // computed = exact + shift, and then the sum's own error relative to that.
  const Interval rest = (shift * (own.relative + Rational(1)) + own.rest).from_zero();
  if (mpfr_less_p(rest.high(), v.rest.high()) == 0) return;
  theorems_.insert("mean-shift");
  v.relative = own.relative;
  v.rest = rest;
  settle(v);
}

// sum over k of e^(x_k - max x) is at least e^0.
void TermAnalysis::apply_exponential_fact(Term a, Value& v) {
  const auto family = Facts::family(a, {Op::add});
  if (!family) return;
  const auto maximum = facts_.maximum_of_shifted_exponential(*family);
  if (!maximum) return;
  for (std::size_t i = 0; i < family->variables.size(); ++i)
    declare_variable(family->variables[i], family->extents[i]);
  if (!scope_.always_some(family->variables, maximum->where)) return;
  try {
    if (!attained_by_member(*maximum)) return;
  } catch (const AnalysisFailure&) {
    return;  // the fact is not known; the wider range stands
  }
  Rational rounded_least = 1;
  const bool inline_exponential = family->body->kind != Kind::load;
  if (a->sort.kind == Sort::Kind::floating) {
    const Accuracy* row = find_accuracy("exp_" + std::string(name(a->sort.format)));
    if (row == nullptr) return;
    rounded_least = 1 - row->relative().exact_high() - row->rest().exact_high();
  }
  // In a local bound the loaded terms are rounded exponentials on both sides.
  const Rational exact_least = settings_.local && !inline_exponential ? rounded_least : Rational(1);
  theorems_.insert("shifted-exponentials");
  v.rounded = max(v.rounded, Interval(rounded_least));
  if (v.bounded) v.exact = max(v.exact, Interval(exact_least));
}

Value TermAnalysis::extremum(Term a, const Steps& s, const FoldParts& parts) {
  const Term init = parts.init[static_cast<std::size_t>(a->which)];
  const int start = infinite_start(init);
  std::vector<Term> guards;
  for (Term g : s.guards)
    if (g->kind != Kind::truth || g->number == 0) guards.push_back(g);
  const Term guard = conjunction(guards);
  const Value truth = value(guard);
  const bool maximum = is_maximum(s.op);
  Value term = guards.empty() ? value(s.term[0]) : value_under(s.term[0], guard);
  if (!truth.same) unbound(term);
  if (s.rounds) term = flushed(std::move(term), s.model);
  // The greatest may be another one than the greatest exact one, and that has other spacings.
  term.units.reset();
  // |max x'_k - max x_k| <= max |x'_k - x_k|; relative to the result where no term is negative.
  if (term.bounded && !(maximum ? term.exact.is_nonnegative() : term.exact.is_nonpositive())) {
    term.relative = Interval();
    term.rest = term.absolute;
  }
  if (start == (maximum ? -1 : 1)) {
    const bool always = s.low > 0 && truth.rounded_truth.is_true() && truth.exact_truth.is_true();
    if (!always && !scope_.always_some(s.variables, guard))
      fail(a->sort.kind == Sort::Kind::real ? Failure::Kind::domain : Failure::Kind::overflow,
           "a maximum or minimum over a range that may be empty");
    return term;
  }
  if (start != 0) fail(Failure::Kind::overflow, "a maximum or minimum that starts from the other infinity");
  const Value first = value(init);
  return maximum ? transfer_max(first, term) : transfer_min(first, term);
}

// Step by step, for at most `high` steps; the results after `low` steps and more are joined.
Value TermAnalysis::unrolled(Term a, const FoldParts& parts, const Integer& low, const Integer& high) {
  const std::size_t size = parts.states.size(), which = static_cast<std::size_t>(a->which);
  std::vector<Value> now;
  for (Term t : parts.init) now.push_back(value(t));
  std::optional<Value> result;
  const auto join = [&](const Value& v) {
    if (!result)
      result = v;
    else if (a->sort == Sort::boolean())
      result = unknown_truth(result->same && v.same);
    else
      result = transfer_select(*result, v, true);
  };
  if (low <= 0) join(now[which]);
  for (Integer k = 0; k < high; ++k) {
    scope_.declare(parts.variable, {k, k}, parts.extent);
    frames_.emplace_back();
    try {
      for (std::size_t j = 0; j < size; ++j) frames_.back()[parts.states[j]] = now[j];
      const Value guard = value(parts.guard);
      std::vector<Value> next;
      for (std::size_t j = 0; j < size; ++j) {
        if (guard.same && guard.rounded_truth.is_false()) {
          next.push_back(now[j]);
          continue;
        }
        Value stepped = value(parts.step[j]);
        if (!(guard.same && guard.rounded_truth.is_true()))
          stepped = parts.states[j]->sort == Sort::boolean()
                        ? unknown_truth(guard.same && stepped.same && now[j].same)
                        : transfer_select(now[j], stepped, guard.same);
        next.push_back(stepped);
      }
      now = std::move(next);
      frames_.pop_back();
    } catch (const AnalysisFailure&) {
      frames_.pop_back();
      throw;
    }
    if (k + 1 >= low) join(now[which]);
  }
  theorems_.insert("unrolled");
  forget_form(*result);
  return *result;
}

// Whether the fold computes the same on rounded and exact operands: everything it reads is exact and nothing
// rounds.
bool TermAnalysis::identical(Term a) {
  bool same = true;
  std::vector<Term> loads;
  for_each_node(a, [&](Term node) {
    // The running value of a fold around this one.
    if (node->kind == Kind::variable && node->sort != Sort::index()) {
      const Value v = value(node);
      same = same && (node->sort == Sort::boolean() ? v.same : v.is_exact());
    }
    if (node->kind == Kind::load) loads.push_back(node);
    if (node->kind == Kind::constant && node->sort.kind == Sort::Kind::floating &&
        settings_.constants.count({node->sort.format, node->bits}) != 0 &&
        settings_.constants.at({node->sort.format, node->bits}) !=
            formulation::exact_value(node->bits, node->sort.format))
      same = false;
    const bool rounds = node->sort.kind == Sort::Kind::floating &&
                        (node->kind == Kind::cast || node->kind == Kind::from_index ||
                         (node->kind == Kind::operation && !is_maximum(node->op) && !is_minimum(node->op) &&
                          node->op != Op::neg && node->op != Op::abs) ||
                         node->flush_subnormals);
    if (rounds) same = false;
  });
  for (Term t : loads) {
    const Value v = settings_.tensor(t->name);
    if (!v.bounded || !v.same || !v.absolute.is_zero()) same = false;
  }
  return same;
}

namespace {
// Operations that are defined for all operands, so that a fold of them needs no ranges inside.
bool is_total(Term node) {
  switch (node->kind) {
    case Kind::to_index:
    case Kind::cast:
    case Kind::floor_div:
      return false;
    case Kind::operation:
      if (node->sort == Sort::boolean()) return true;
      if (node->sort.kind == Sort::Kind::integer)
        return node->op == Op::add || node->op == Op::sub || node->op == Op::mul || node->op == Op::max ||
               node->op == Op::min || node->op == Op::neg || node->op == Op::abs;
      return is_maximum(node->op) || is_minimum(node->op) || node->op == Op::neg || node->op == Op::abs;
    default:
      return true;
  }
}
}  // namespace

// Integers and truths only: every step keeps the format's range, and when the whole fold is the same on
// rounded and exact operands, so is its result (argmax over exact operands).
Value TermAnalysis::by_induction(Term a) {
  bool total = true;
  for_each_node(a, [&](Term node) {
    total = total && is_total(node);
    if (node->kind != Kind::fold) return;
    const FoldParts parts = open(node);
    const Op op = formulation::step_operation(parts);
    total = total && (!formulation::may_combine(parts) ||
                      (parts.states.size() == 1 && formulation::is_neutral_start(op, parts.init[0]) &&
                       combines_alike(parts, 0, op, {})));
  });
  const bool integer = a->sort.kind == Sort::Kind::integer;
  if (!total || (!integer && a->sort != Sort::boolean()))
    fail(Failure::Kind::unsupported, "no closed form is known for the reduction " + describe(a, 4));
  const bool same = identical(a);
  note_branch(a, same);
  if (!integer) return unknown_truth(same);
  Value v =
      exact_value(Interval(contract::least_value(a->sort.format), contract::largest_value(a->sort.format)));
  v.grid = 0;
  if (!same) unbound(v);
  return v;
}

}  // namespace hallmark::numerics
