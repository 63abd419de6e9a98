#include "numerics/term_analysis.h"

#include <algorithm>

#include "base/error.h"
#include "contract/format_values.h"
#include "formulation/round_constant.h"
#include "numerics/accuracy.h"
#include "numerics/describe.h"
#include "numerics/transfer.h"

namespace hallmark::numerics {

using namespace calculus;

namespace {

// The exponent of the lowest set bit and the number of significant bits of a dyadic number.
void dyadic_shape(const Rational& value, Value& v) {
  if (value == 0) {
    v.grid = 100'000;
    v.significant = 1;
    return;
  }
  const Integer denominator = value.get_den();
  if (mpz_popcount(denominator.get_mpz_t()) != 1) return;
  const Integer numerator = abs(value.get_num());
  const long zeros = static_cast<long>(mpz_scan1(numerator.get_mpz_t(), 0));
  v.grid = zeros - static_cast<long>(mpz_sizeinbase(denominator.get_mpz_t(), 2)) + 1;
  v.significant = static_cast<long>(mpz_sizeinbase(numerator.get_mpz_t(), 2)) - zeros;
}

Truth or_(const Truth& a, const Truth& b) {
  return {a.may_be_false || b.may_be_false, a.may_be_true || b.may_be_true};
}

Value truth_value(const Truth& exact, const Truth& rounded, bool same) {
  Value out;
  out.exact_truth = exact;
  out.rounded_truth = rounded;
  // Decided alike on both sides is the same too.
  out.same = same || (exact == rounded && exact.decided());
  return out;
}

// Whether elements decide an index: as numbers, or in the condition of a choice.
bool depends_on_elements(Term index) {
  bool found = false;
  for_each_node(index, [&](Term node) {
    found = found || is_element(node->sort) || node->kind == Kind::to_index || node->kind == Kind::load ||
            node->kind == Kind::fold;
  });
  return found;
}

Truth compared(Op op, const Interval& a, const Interval& b) {
  switch (op) {
    case Op::lt:
      return {!a.below(b), !b.at_most(a)};
    case Op::le:
      return {!a.at_most(b), !b.below(a)};
    default:
      return {!(a.is_point() && b.is_point() && a.contains(b)), !(a.below(b) || b.below(a))};
  }
}

}  // namespace

Value boxed(const Interval& box, Format format) {
  Value v = exact_value(box);
  if (is_float(format)) {
    v.grid = grid_of_values(box, {format});
    v.significant = static_cast<long>(significand_bits(format));
    if (box.is_point()) dyadic_shape(box.exact_low(), v);
  } else {
    v.grid = 0;
  }
  return v;
}

IndexRange symbol_range(const contract::Contract& contract, const Program& program, Term symbol) {
  for (const SymbolRange& known : program.symbols)
    if (known.name == symbol->name) {
      const contract::DimensionRange range = contract::range_of(contract, known);
      return {range.low, range.high};
    }
  return {};
}

TermAnalysis::TermAnalysis(TermSettings settings, const Definition& definition)
    : settings_(std::move(settings)),
      definition_(definition),
      scope_([this](Term element) { return element_range(element); }),
      facts_(*settings_.program, scope_),
      frames_(1) {
  for (const SymbolRange& known : settings_.program->symbols) {
    const Term s = symbol(known.name);
    scope_.declare(s, symbol_range(*settings_.contract, *settings_.program, s));
  }
  for (std::size_t d = 0; d < definition.declaration.extents.size(); ++d) {
    const Term extent = definition.declaration.extents[d];
    IndexRange range = scope_.range(extent);
    if (range.high) *range.high -= 1;
    range.low = 0;
    scope_.declare(axis(static_cast<int>(d)), range, extent);
  }
}

Value TermAnalysis::run() {
  return value(definition_.body);
}

void TermAnalysis::fail(Failure::Kind kind, const std::string& message) const {
  throw AnalysisFailure(kind, definition_.declaration.name + ": " + message);
}

void TermAnalysis::note_branch(Term a, bool same) {
  branches_.insert({describe(a, 4), same});
}

Value TermAnalysis::value(Term a) {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame)
    if (const auto found = frame->find(a); found != frame->end()) return found->second;
  Value v = compute(a);
  // How a value was added up is known of the sum itself and of what it is stored in.
  if (a->kind != Kind::fold && a->kind != Kind::load) forget_form(v);
  frames_.back().emplace(a, v);
  return v;
}

Value TermAnalysis::value_under(Term a, Term condition) {
  scope_.assume(condition);
  frames_.emplace_back();
  const auto leave = [&] {
    frames_.pop_back();
    scope_.forget();
  };
  try {
    narrow_by_comparison(condition, true);
    Value v = value(a);
    leave();
    return v;
  } catch (const AnalysisFailure&) {
    leave();
    throw;
  }
}

Value TermAnalysis::compute(Term a) {
  if (a->sort == Sort::boolean()) return condition(a);
  switch (a->kind) {
    case Kind::constant:
      return constant(a);
    case Kind::load:
      return load(a);
    case Kind::operation:
      return operation(a);
    case Kind::select:
      return select(a);
    case Kind::fold:
      return fold(a);
    case Kind::from_index:
      return from_index(a);
    case Kind::cast:
      return cast(a);
    case Kind::extreme:
      fail(Failure::Kind::domain, "an extreme value outside of a reduction");
    default:
      fail(Failure::Kind::unsupported, "no range is known for " + describe(a));
  }
}

Value TermAnalysis::constant(Term a) {
  Value v;
  if (a->sort.kind != Sort::Kind::floating) {
    v = exact_value(Interval(a->value));
    dyadic_shape(a->value, v);
    return v;
  }
  const auto encoded = formulation::exact_value(a->bits, a->sort.format);
  if (!encoded) fail(Failure::Kind::overflow, "the constant is an infinity or a NaN");
  const auto meant = settings_.constants.find({a->sort.format, a->bits});
  const Rational authored = meant != settings_.constants.end() ? meant->second : *encoded;
  v.exact = Interval(authored);
  v.rounded = Interval(*encoded);
  v.absolute = Interval(Rational(abs(authored - *encoded))).from_zero();
  v.rest = v.absolute;
  dyadic_shape(*encoded, v);
  add_share(v, "constant " + describe(a), v.absolute);
  return v;
}

Value TermAnalysis::load(Term a) {
  const Declaration* declaration = find_declaration(*settings_.program, a->name);
  ensure(declaration != nullptr, "a load of an unknown tensor");
  bool same = true;
  for (std::size_t d = 0; d < a->children.size(); ++d) {
    if (!depends_on_elements(a->children[d])) continue;
    if (!scope_.inside(a->children[d], declaration->extents[d]))
      fail(Failure::Kind::domain,
           "an index into " + a->name + " that is read from a tensor may leave its extent");
    same = same && same_index(a->children[d]);
  }
  Value v = settings_.tensor(a->name);
  if (!same) {
    unbound(v);
    v.same = false;
  }
  return v;
}

IndexRange TermAnalysis::element_range(Term element) {
  const Value v = value(element);
  if (element->sort == Sort::boolean()) {
    const Truth t = or_(v.exact_truth, v.rounded_truth);
    return {Integer(t.may_be_false ? 0 : 1), Integer(t.may_be_true ? 1 : 0)};
  }
  const Interval both = v.bounded ? hull(v.exact, v.rounded) : v.rounded;
  IndexRange out;
  out.low = Integer();
  out.high = Integer();
  mpfr_get_z(out.low->get_mpz_t(), both.low(), MPFR_RNDD);
  mpfr_get_z(out.high->get_mpz_t(), both.high(), MPFR_RNDU);
  return out;
}

bool TermAnalysis::same_index(Term a) {
  switch (a->kind) {
    case Kind::to_index: {
      const Value v = value(a->children[0]);
      return a->children[0]->sort == Sort::boolean() ? v.same : v.is_exact();
    }
    case Kind::at_most_zero:
    case Kind::is_zero:
    case Kind::negation:
    case Kind::conjunction:
    case Kind::disjunction:
      break;
    default:
      // Any other condition, of a choice between indices, is one on elements.
      if (a->sort == Sort::boolean() && a->kind != Kind::truth) return value(a).same;
  }
  return std::all_of(a->children.begin(), a->children.end(), [&](Term child) { return same_index(child); });
}

bool TermAnalysis::encloses_exact(Term a) {
  if (a->kind == Kind::to_index && a->children[0]->sort != Sort::boolean())
    return value(a->children[0]).bounded;
  if (a->sort != Sort::index() && a->sort != Sort::boolean()) return true;
  return std::all_of(a->children.begin(), a->children.end(),
                     [&](Term child) { return encloses_exact(child); });
}

Value TermAnalysis::condition(Term a) {
  switch (a->kind) {
    case Kind::truth:
    case Kind::at_most_zero:
    case Kind::is_zero: {
      const Truth t = scope_.truth(a);
      return truth_value(encloses_exact(a) ? t : Truth{}, t, same_index(a));
    }
    case Kind::compare:
      return comparison(a);
    case Kind::is_nan:
      // The range of the operand is finite, or its analysis has failed.
      value(a->children[0]);
      return truth_value({true, false}, {true, false}, true);
    case Kind::negation: {
      const Value v = value(a->children[0]);
      return truth_value({v.exact_truth.may_be_true, v.exact_truth.may_be_false},
                         {v.rounded_truth.may_be_true, v.rounded_truth.may_be_false}, v.same);
    }
    case Kind::conjunction:
    case Kind::disjunction: {
      const bool conjunction = a->kind == Kind::conjunction;
      Truth exact{!conjunction, conjunction}, rounded = exact;
      bool same = true;
      const auto join = [&](Truth& to, const Truth& t) {
        to = conjunction ? Truth{to.may_be_false || t.may_be_false, to.may_be_true && t.may_be_true}
                         : Truth{to.may_be_false && t.may_be_false, to.may_be_true || t.may_be_true};
      };
      for (Term child : a->children) {
        const Value v = value(child);
        join(exact, v.exact_truth);
        join(rounded, v.rounded_truth);
        same = same && v.same;
      }
      return truth_value(exact, rounded, same);
    }
    case Kind::load: {
      const Value v = load(a);
      return truth_value(v.exact_truth, v.rounded_truth, v.same);
    }
    case Kind::fold:
      return fold(a);
    case Kind::cast: {
      // To bool: whether the element is not zero.
      const Value v = value(a->children[0]);
      const auto nonzero = [](const Interval& x) { return Truth{x.contains_zero(), !x.is_zero()}; };
      const bool same = v.is_exact();
      const Truth rounded = nonzero(v.rounded), exact = v.bounded ? nonzero(v.exact) : Truth{};
      const Value out = truth_value(exact, rounded, same);
      note_branch(a, out.same);
      return out;
    }
    default: {
      // select over Bool is expanded by the calculus; operations over Bool: unknown, the same where all
      // operands are.
      bool same = true;
      for (Term child : a->children) same = value(child).same && same;
      if (a->kind != Kind::operation) fail(Failure::Kind::unsupported, "an unknown condition");
      return truth_value({}, {}, same);
    }
  }
}

Value TermAnalysis::comparison(Term a) {
  const Term left = a->children[0], right = a->children[1];
  const Value x = value(left), y = value(right);
  if (left->sort == Sort::boolean()) return truth_value({}, {}, x.same && y.same);
  const Truth rounded = compared(a->op, x.rounded, y.rounded);
  const bool bounded = x.bounded && y.bounded;
  const Truth exact = bounded ? compared(a->op, x.exact, y.exact) : Truth{};
  const Value out = truth_value(exact, rounded, x.is_exact() && y.is_exact());
  if (left->sort.kind == Sort::Kind::floating || !out.same) note_branch(a, out.same);
  return out;
}

// On exact operands a comparison that holds narrows their ranges: where x > 0 then log x.
void TermAnalysis::narrow_by_comparison(Term condition, bool holds) {
  if (condition->kind == Kind::negation) return narrow_by_comparison(condition->children[0], !holds);
  if (condition->kind == Kind::conjunction && holds) {
    for (Term part : condition->children) narrow_by_comparison(part, true);
    return;
  }
  if (condition->kind != Kind::compare || condition->op == Op::eq) return;
  Term low = condition->children[0], high = condition->children[1];
  if (low->sort.kind == Sort::Kind::integer || low->sort == Sort::boolean()) return;
  bool strict = condition->op == Op::lt;
  if (!holds) {
    // not (a < b) is b <= a: there is no NaN.
    std::swap(low, high);
    strict = !strict;
  }
  Value x = value(low), y = value(high);
  if (!x.is_exact() || !y.is_exact()) return;
  const Rational step = strict && x.grid != Value::no_grid && y.grid != Value::no_grid
                            ? contract::power_of_two_rational(std::min(x.grid, y.grid))
                            : Rational(0);
  // x + step <= y
  const Rational top = y.rounded.exact_high() - step, bottom = x.rounded.exact_low() + step;
  if (top < x.rounded.exact_low() || bottom > y.rounded.exact_high()) return;
  if (top < x.rounded.exact_high()) {
    x.rounded = Interval(x.rounded.exact_low(), top);
    x.exact = x.rounded;
    frames_.back()[low] = x;
  }
  if (bottom > y.rounded.exact_low()) {
    y.rounded = Interval(bottom, y.rounded.exact_high());
    y.exact = y.rounded;
    frames_.back()[high] = y;
  }
}

Value TermAnalysis::select(Term a) {
  const Term guard = a->children[0];
  const Value c = value(guard);
  if (c.same && c.rounded_truth.is_true()) return value(a->children[1]);
  if (c.same && c.rounded_truth.is_false()) return value(a->children[2]);
  if (!c.same) return transfer_select(value(a->children[1]), value(a->children[2]), false);
  return transfer_select(value_under(a->children[1], guard), value_under(a->children[2], negation(guard)),
                         true);
}

Value TermAnalysis::from_index(Term a) {
  const IndexRange range = scope_.range(a->children[0]);
  if (!range.finite()) fail(Failure::Kind::unbounded, "a size without an upper bound is used as a number");
  Value v = exact_value(Interval(Rational(*range.low), Rational(std::max(*range.low, *range.high))));
  v.grid = 0;
  if (!same_index(a->children[0])) unbound(v);
  if (a->sort.kind == Sort::Kind::integer) return fit(std::move(v), a->sort.format);
  if (a->sort.kind == Sort::Kind::floating)
    return round(std::move(v), {a->sort.format, a->rounding, false}, SubnormalResults::exact,
                 "size as a number");
  return v;
}

Value TermAnalysis::fit(Value v, Format format) {
  v.grid = 0;
  const Interval whole(contract::least_value(format), contract::largest_value(format));
  if (whole.contains(v.rounded) && (!v.bounded || whole.contains(v.exact))) return v;
  // Integers are modulo 2^w: beyond the format anything may come out. Equal inputs still give equal results.
  const bool exact = v.is_exact();
  v = exact_value(whole);
  v.grid = 0;
  if (!exact) unbound(v);
  return v;
}

Value TermAnalysis::round(Value v, const RoundingModel& model, SubnormalResults subnormal,
                          const std::string& label) {
  const MaybeInterval rounded = round_to_format(v.rounded, model);
  if (!rounded)
    fail(Failure::Kind::overflow, label + " may overflow " + std::string(name(model.format)) +
                                      ": the value before "
                                      "rounding lies in " +
                                      text(v.rounded));
  const long finest =
      model.flush_subnormals ? static_cast<long>(minimum_exponent(model.format)) : model.least_exponent();
  const bool on_grid = v.grid != Value::no_grid && v.grid >= finest;
  const auto at_most_power = [&](long exponent) {
    return mpfr_cmp_ui_2exp(v.rounded.magnitude().high(), 1, exponent) <= 0;
  };
  v.units.reset();
  if (v.is_exact() && model.rounding == Rounding::nearest && !model.flush_subnormals)
    v.units = Value::Units{Rational(1, 2), model.format};
  if (on_grid && ((v.significant != 0 && v.significant <= model.precision()) ||
                  at_most_power(v.grid + model.precision()))) {
    // Representable as it is. (A value with few significant bits on the grid of the subnormals is one of the
    // format's, because it did not overflow.)
    v.rounded = *rounded;
    v.significant = v.significant != 0 ? std::min(v.significant, model.precision()) : model.precision();
    return v;
  }
  if (v.bounded) {
    // Few enough digits round only below the normal range.
    const bool only_below =
        v.significant != 0 && v.significant <= model.precision() && !model.flush_subnormals;
    const Interval unit = only_below ? Interval() : relative_rounding(model);
    const Interval least =
        Interval::power_of_two(model.least_exponent() - (model.rounding == Rounding::nearest ? 1 : 0));
    const Interval all = absolute_rounding(v.rounded, model, subnormal);
    const Interval own = only_below ? smaller_high(all, least) : all;
    v.absolute = (v.absolute + own).from_zero();
    v.rest = (v.rest * (unit + Rational(1)) + rest_of_rounding(model, subnormal)).from_zero();
    v.relative = (v.relative + unit * (v.relative + Rational(1))).from_zero();
    add_share(v, label, own);
  }
  v.rounded = *rounded;
  v.grid = std::max(v.grid, grid_of_values(v.rounded, model));
  v.significant = model.precision();
  settle(v);
  return v;
}

Value TermAnalysis::flushed(Value v, const RoundingModel& model) const {
  if (!model.flush_subnormals) return v;
  const long least = minimum_exponent(model.format);
  if (mpfr_cmp_ui_2exp(v.rounded.mignitude().low(), 1, least) >= 0) return v;
  // A subnormal operand counts as 0.
  forget_form(v);
  v.units.reset();
  const Interval size = Interval::power_of_two(least).from_zero();
  v.rounded = hull(v.rounded, Interval());
  if (v.bounded) {
    v.absolute = (v.absolute + size).from_zero();
    v.rest = (v.rest + size).from_zero();
  }
  return v;
}

Value TermAnalysis::operation(Term a) {
  if (a->op == Op::custom) return custom(a);
  std::vector<Value> c;
  for (Term child : a->children) c.push_back(value(child));
  if (a->sort.kind == Sort::Kind::integer) return integer_operation(a, c);
  if (!is_element(a->sort)) fail(Failure::Kind::unsupported, "the operation " + describe(a));
  if (a->sort.kind == Sort::Kind::real) return real_operation(a->op, c, a);
  const RoundingModel model{a->sort.format, a->rounding, a->flush_subnormals};
  for (Value& v : c) v = flushed(std::move(v), model);
  Value v = real_operation(a->op, c, a);
  switch (a->op) {
    case Op::neg:
    case Op::abs:
    case Op::maxnum:
    case Op::minnum:
    case Op::maximum:
    case Op::minimum:
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round_even:
      return v;  // exact
    default:
      break;
  }
  const SubnormalResults subnormal =
      a->op == Op::add || a->op == Op::sub ? SubnormalResults::exact : SubnormalResults::rounded;
  return round(std::move(v), model, subnormal, describe(a));
}

// The operation on the rounded operands without its own rounding.
Value TermAnalysis::real_operation(Op op, const std::vector<Value>& c, Term a) {
  const auto outside = [&](const Value& operand) {
    fail(Failure::Kind::domain,
         describe(a) + " may leave its domain: an operand lies in " + text(operand.rounded));
  };
  switch (op) {
    case Op::add:
      return transfer_add(c[0], c[1]);
    case Op::sub: {
      Value v = transfer_subtract(c[0], c[1]);
      if (facts_.difference_is_nonpositive(a->children[0], a->children[1])) {
        theorems_.insert("member-below-maximum");
        const Interval zero;
        v.rounded = min(v.rounded, zero);
        v.exact = min(v.exact, zero);
      }
      return v;
    }
    case Op::mul:
    case Op::fma: {
      Value v = transfer_multiply(c[0], c[1], a->children[0] == a->children[1]);
      apply_deviation(a->children[0], a->children[1], true, v);
      apply_deviation(a->children[1], a->children[0], true, v);
      return op == Op::mul ? v : transfer_add(v, c[2]);
    }
    case Op::div: {
      auto v = transfer_divide(c[0], c[1]);
      if (!v) outside(c[1]);
      if (c[0].rounded.is_nonnegative() && c[1].rounded.is_positive()) {
        // S, or what is at least S: S + c with c >= 0, max(S, c).
        auto sum = facts_.sum_with_term(a->children[0], a->children[1]);
        const bool raised = !sum;
        if (raised) sum = term_of_raised_sum(a->children[0], a->children[1]);
        if (sum && never_below_its_terms(sum->fold)) {
          for (std::size_t i = 0; i < sum->variables.size(); ++i)
            declare_variable(sum->variables[i], sum->extents[i]);
          Value term = exact_value(Interval(Rational(-1)));
          try {
            term = value(sum->body);
          } catch (const AnalysisFailure&) {
            // Without a range of its terms the sum says nothing about the quotient.
          }
          if (term.rounded.is_nonnegative() && (!term.bounded || term.exact.is_nonnegative())) {
            theorems_.insert("term-below-sum");
            const Interval one(Rational(1));
            v->rounded = min(v->rounded, one);
            // In the local pass a loaded sum is what was computed, and an exact term may be above it.
            if (!settings_.local && v->bounded && c[0].exact.is_nonnegative() && c[1].exact.is_positive()) {
              v->exact = min(v->exact, one);
              if (!raised) apply_share_of_sum(a, *sum, c[1], *v);
            }
          }
        }
      }
      apply_weighted_quotient(a, c[0], c[1], *v);
      apply_deviation(a->children[0], a->children[1], false, *v);
      return *v;
    }
    case Op::max:
    case Op::maxnum:
    case Op::maximum:
      return transfer_max(c[0], c[1]);
    case Op::min:
    case Op::minnum:
    case Op::minimum:
      return transfer_min(c[0], c[1]);
    case Op::pow: {
      const auto v = transfer_power(c[0], c[1]);
      if (!v) outside(c[0]);
      return *v;
    }
    case Op::mod:
    case Op::rem: {
      const MaybeInterval v = binary(op, c[0].rounded, c[1].rounded);
      if (!v) outside(c[1]);
      Value out = exact_value(*v);
      if (!c[0].is_exact() || !c[1].is_exact()) unbound(out);
      note_branch(a, out.bounded);
      return out;
    }
    default: {
      const auto v = transfer_unary(op, c[0]);
      if (!v) {
        if (op == Op::exp || op == Op::sinh || op == Op::cosh)
          fail(Failure::Kind::overflow,
               describe(a) + " may overflow: its operand lies in " + text(c[0].rounded));
        outside(c[0]);
      }
      if (op == Op::floor || op == Op::ceil || op == Op::trunc || op == Op::round_even || op == Op::sign)
        note_branch(a, v->is_exact());
      return *v;
    }
  }
}

// The sum S that a is a term of, where b is max(S, c), or S + c with c never below 0 and rounded to nearest:
// then b is at least S, whether rounded or exact.
std::optional<Family> TermAnalysis::term_of_raised_sum(Term a, Term b) {
  b = facts_.resolve(b);
  if (b->kind != Kind::operation || b->children.size() != 2) return std::nullopt;
  const bool maximum = b->op == Op::max || b->op == Op::maxnum || b->op == Op::maximum;
  if (!maximum && (b->op != Op::add || b->flush_subnormals || b->rounding != Rounding::nearest))
    return std::nullopt;
  for (const std::size_t side : {0, 1}) {
    const auto sum = facts_.sum_with_term(a, b->children[side]);
    if (!sum) continue;
    if (!maximum && !never_negative(b->children[1 - side])) continue;
    return sum;
  }
  return std::nullopt;
}

bool TermAnalysis::never_negative(Term a) {
  try {
    const Value v = value(a);
    return v.rounded.is_nonnegative() && (!v.bounded || v.exact.is_nonnegative());
  } catch (const AnalysisFailure&) {
    return false;
  }
}

Value TermAnalysis::custom(Term a) {
  const Accuracy* row = find_accuracy(a->name);
  if (row == nullptr) {
    const bool known = std::any_of(settings_.program->functions.begin(), settings_.program->functions.end(),
                                   [&](const Function& f) { return f.name == a->name; });
    // In an exact program a function is what its body says.
    if (!known || (a->sort.kind == Sort::Kind::floating && !is_composition(a->name)))
      fail(Failure::Kind::unsupported, "no accuracy is known for the function " + a->name);
    return value(expand_functions(a, settings_.program->functions));
  }
  ensure(a->sort == Sort::floating(row->format), "an elementary function of another format");
  std::vector<Value> c;
  for (Term child : a->children) c.push_back(value(child));
  Value v = real_operation(row->op, c, a);
  v.units.reset();
  assumptions_.insert(row->assumption);
  const Interval size = v.rounded.magnitude();
  const Interval own = (row->relative() * size + row->rest()).from_zero();
  Interval rounded = v.rounded + own.symmetric();
  // The relative part at each end is that of the end itself.
  const Interval narrow = hull(v.rounded.lower_end() * (row->relative().symmetric() + Rational(1)),
                               v.rounded.upper_end() * (row->relative().symmetric() + Rational(1))) +
                          row->rest().symmetric();
  rounded = *intersect(rounded, narrow);
  if (row->nonnegative) rounded = max(rounded, Interval());
  if (!high_at_most(rounded.magnitude(), Interval(contract::largest_value(row->format))))
    fail(Failure::Kind::overflow, describe(a) + " may overflow: its result lies in " + text(rounded));
  v.rounded = rounded;
  if (v.bounded) {
    v.absolute = (v.absolute + own).from_zero();
    v.rest = (v.rest * (row->relative() + Rational(1)) + row->rest()).from_zero();
    v.relative = (v.relative + row->relative() * (v.relative + Rational(1))).from_zero();
    add_share(v, describe(a), own);
  }
  v.grid = grid_of_values(v.rounded, {row->format});
  v.significant = static_cast<long>(significand_bits(row->format));
  settle(v);
  return v;
}

Value TermAnalysis::cast(Term a) {
  const Term child = a->children[0];
  Value v = value(child);
  const Sort::Kind from = child->sort.kind, to = a->sort.kind;
  if (from == Sort::Kind::boolean) {
    const auto number = [](const Truth& t) {
      return Interval(Rational(t.may_be_false ? 0 : 1), Rational(t.may_be_true ? 1 : 0));
    };
    const bool same = v.same;
    const Interval exact = number(v.exact_truth), rounded = number(v.rounded_truth);
    v = exact_value(rounded);
    v.grid = 0;
    v.significant = 1;
    if (!same) {
      v.exact = exact;
      v.absolute = Interval(Rational(1)).from_zero();
      v.rest = v.absolute;
    }
    return to == Sort::Kind::integer ? fit(std::move(v), a->sort.format) : v;
  }
  if (to == Sort::Kind::integer) {
    if (from == Sort::Kind::integer) return fit(std::move(v), a->sort.format);
    const auto whole = transfer_unary(Op::trunc, v);
    note_branch(a, whole->is_exact());
    const Interval range(contract::least_value(a->sort.format), contract::largest_value(a->sort.format));
    if (!range.contains(whole->rounded))
      fail(Failure::Kind::domain,
           describe(a) + " may leave " + to_string(a->sort) + ": the operand lies in " + text(v.rounded));
    return *whole;
  }
  const RoundingModel model{a->format, Rounding::nearest, false};
  const std::string label = describe(a);
  if (from == Sort::Kind::integer || to == Sort::Kind::floating) {
    if (from == Sort::Kind::real)
      fail(Failure::Kind::unsupported, "a conversion between exact and rounded values");
    if (to == Sort::Kind::real) {
      // An exact program keeps the integer's value.
      return v;
    }
    const bool authored = child->sort == a->sort;
    if (!authored || settings_.contract->casts == contract::Casts::storage)
      return round(std::move(v), model, SubnormalResults::rounded, label);
  } else if (settings_.contract->casts == contract::Casts::storage) {
    return v;
  }
  // An authored rounding is a step function of the exact value too: both sides jump to the format's values.
  v.units.reset();
  const Value before = v;
  const MaybeInterval exact = v.bounded ? round_to_format(v.exact, model) : v.rounded;
  const MaybeInterval rounded = round_to_format(v.rounded, model);
  if (!exact || !rounded)
    fail(to == Sort::Kind::real ? Failure::Kind::domain : Failure::Kind::overflow,
         label + " may overflow: its operand lies in " + text(v.rounded));
  v.exact = *exact;
  v.rounded = *rounded;
  v.grid = std::max(v.grid, model.least_exponent());
  v.significant = model.precision();
  if (to == Sort::Kind::floating) note_branch(a, before.is_exact());
  if (v.bounded && !before.is_exact()) {
    const Interval own = absolute_rounding(before.rounded, model, SubnormalResults::rounded) +
                         absolute_rounding(before.exact, model, SubnormalResults::rounded);
    v.absolute = (v.absolute + own).from_zero();
    v.relative = Interval();
    v.rest = v.absolute;
    add_share(v, label, own);
    settle(v);
  }
  return v;
}

}  // namespace hallmark::numerics
