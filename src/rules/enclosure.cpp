#include "rules/enclosure.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "evaluator/value.h"

namespace hallmark::rules {
namespace {

using namespace calculus;
using numerics::Interval;
using numerics::MaybeInterval;
using Kinds = Enclosed::Kind;

Enclosed whole(std::int64_t value) {
  return {Kinds::whole, value, Interval()};
}
Enclosed real(Interval value) {
  return {Kinds::real, 0, std::move(value)};
}
Enclosed without_value(Kinds kind) {
  return {kind, 0, Interval()};
}
Enclosed undecided() {
  return without_value(Kinds::undecided);
}
Enclosed real_or_undecided(const MaybeInterval& value) {
  return value ? real(*value) : undecided();
}

bool is_zero(const Enclosed& a) {
  return a.kind == Kinds::real && a.real.is_zero();
}

// A function on the part of the reals where `inside` holds: certainly inside, certainly outside, or neither.
Enclosed on_domain(Op op, const Interval& a, bool inside, bool outside) {
  if (inside) return real_or_undecided(numerics::unary(op, a));
  return without_value(outside ? Kinds::undefined : Kinds::undecided);
}

Enclosed power(const Interval& base, const Interval& exponent) {
  if (exponent.is_point() && exponent.exact_low().get_den() == 1) {
    const Integer n = exponent.exact_low().get_num(), size = abs(n);
    if (size <= 64) {
      const Interval positive = numerics::power(base, size.get_ui());
      if (n >= 0) return real(positive);
      return on_domain(Op::reciprocal, positive, !positive.contains_zero(), positive.is_zero());
    }
  }
  if (base.is_positive()) return real_or_undecided(numerics::binary(Op::pow, base, exponent));
  if (base.is_zero() && exponent.is_positive()) return real(base);
  const bool no_root = base.is_negative() && exponent.is_point() && exponent.exact_low().get_den() != 1;
  return without_value(no_root ? Kinds::undefined : Kinds::undecided);
}

Enclosed unary_value(Op op, const Interval& a) {
  switch (op) {
    case Op::sqrt:
      return on_domain(op, a, a.is_nonnegative(), a.is_negative());
    case Op::log:
    case Op::rsqrt:
      return on_domain(op, a, a.is_positive(), a.is_nonpositive());
    case Op::reciprocal:
      return on_domain(op, a, !a.contains_zero(), a.is_zero());
    default:
      return real_or_undecided(numerics::unary(op, a));
  }
}

Enclosed real_operation(Op op, const std::vector<Enclosed>& x) {
  // In the total model every operation has a value, and 0 times it is 0.
  if (op == Op::mul && (is_zero(x[0]) || is_zero(x[1]))) return real(Interval());
  if ((op == Op::max || op == Op::min) && x[0].kind != x[1].kind) {
    const int start = op == Op::max ? -1 : 1;
    for (std::size_t i = 0; i < 2; ++i)
      if (x[i].kind == Kinds::extreme && x[i].whole == start) return x[1 - i];
  }
  for (const Enclosed& a : x)
    if (a.kind == Kinds::undecided) return a;
  for (const Enclosed& a : x)
    if (a.kind != Kinds::real) return without_value(Kinds::undefined);
  switch (op) {
    case Op::div:
    case Op::mod:
    case Op::rem:
      if (x[1].real.is_zero()) return without_value(Kinds::undefined);
      return real_or_undecided(numerics::binary(op, x[0].real, x[1].real));
    case Op::fma:
      return real(x[0].real * x[1].real + x[2].real);
    case Op::pow:
      return power(x[0].real, x[1].real);
    default:
      return x.size() == 1   ? unary_value(op, x[0].real)
             : x.size() == 2 ? real_or_undecided(numerics::binary(op, x[0].real, x[1].real))
                             : undecided();
  }
}

// A conversion between numbers is increasing in what it converts.
Enclosed converted(const Enclosed& a, Sort from, Format format, Sort to) {
  using evaluator::cast_value;
  using evaluator::Exact;
  using evaluator::Reals;
  if (a.kind == Kinds::extreme) return undecided();
  if (!a.has_value()) return a;
  try {
    if (a.kind == Kinds::whole) {
      const evaluator::Value out = cast_value(a.whole, from, format, to, Reals::exact);
      if (to == Sort::real()) return real(Interval(std::get<Exact>(out).value));
      return whole(std::get<std::int64_t>(out));
    }
    // To a truth value it is not: the ends alone say nothing where 0 lies between them.
    const bool truth = to == Sort::boolean() || format == Format::boolean;
    if (truth && a.real.contains_zero() && !a.real.is_zero()) return undecided();
    const evaluator::Value low = cast_value(Exact{a.real.exact_low(), 0}, from, format, to, Reals::exact),
                           high = cast_value(Exact{a.real.exact_high(), 0}, from, format, to, Reals::exact);
    if (to == Sort::real()) return real(Interval(std::get<Exact>(low).value, std::get<Exact>(high).value));
    return std::get<std::int64_t>(low) == std::get<std::int64_t>(high) ? whole(std::get<std::int64_t>(low))
                                                                       : undecided();
  } catch (const Refusal&) {
    return undecided();  // beyond the format
  }
}

bool reads(Term t) {
  bool found = false;
  for_each_node(t, [&](Term n) { found = found || n->kind == Kind::load; });
  return found;
}

}  // namespace

bool certainly_differ(const Enclosed& a, const Enclosed& b) {
  if (a.kind == Kinds::whole && b.kind == Kinds::whole) return a.whole != b.whole;
  if (a.kind == Kinds::real && b.kind == Kinds::real) return a.real.below(b.real) || b.real.below(a.real);
  return false;
}

Enclosure::Enclosure(const std::vector<Definition>& definitions, const evaluator::Symbols& symbols,
                     const evaluator::Tensors& inputs, long most_steps)
    : definitions_(definitions), symbols_(symbols), inputs_(inputs), most_steps_(most_steps) {}

Enclosed Enclosure::element(const std::string& tensor, const std::vector<std::int64_t>& at) {
  const auto input = inputs_.find(tensor);
  const auto definition = std::find_if(definitions_.begin(), definitions_.end(),
                                       [&](const Definition& d) { return d.declaration.name == tensor; });
  ensure(input != inputs_.end() || definition != definitions_.end(), "a tensor without a value: " + tensor);
  std::vector<std::int64_t> extents;
  if (input != inputs_.end())
    extents = input->second.extents();
  else
    for (Term e : definition->declaration.extents) extents.push_back(evaluator::evaluate_index(e, symbols_));
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (at[d] < 0 || at[d] >= extents.at(d)) {
      read_outside_ = true;
      return undecided();
    }
    flat = flat * extents[d] + at[d];
  }
  if (input != inputs_.end()) {
    if (!is_float(input->second.format())) return whole(input->second.integer(flat));
    const double number = input->second.number(flat);
    return std::isfinite(number) ? real(Interval(input->second.exact(flat))) : undecided();
  }
  const auto key = std::pair(tensor, flat);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const Enclosed out = value(definition->body, at);
  known_.emplace(key, out);
  return out;
}

Enclosed Enclosure::value(Term term, const std::vector<std::int64_t>& axes) {
  Frame frame{&axes, {}};
  return run(term, frame);
}

Enclosed Enclosure::run(Term t, Frame& frame) {
  if (++steps_ > most_steps_) return undecided();
  switch (t->kind) {
    case Kind::truth:
      return whole(t->number);
    case Kind::constant:
      if (t->sort == Sort::real()) return real(Interval(t->value));
      if (t->sort.kind != Sort::Kind::integer) return undecided();
      return whole(std::get<std::int64_t>(evaluator::constant_value(t, evaluator::Reals::exact)));
    case Kind::extreme:
      return {Kinds::extreme, t->number, Interval()};
    case Kind::variable: {
      const auto found = frame.variables.find(t);
      return found == frame.variables.end() ? undecided() : found->second;
    }
    case Kind::load:
      return load_value(t, frame);
    case Kind::operation:
      return operation_value(t, frame);
    case Kind::fold:
      return fold_value(t, frame);
    case Kind::select:
    case Kind::index_select: {
      const Enclosed condition = run(t->children[0], frame);
      return condition.kind == Kinds::whole ? run(t->children[condition.whole != 0 ? 1 : 2], frame)
                                            : undecided();
    }
    case Kind::from_index: {
      const Enclosed index = run(t->children[0], frame);
      if (index.kind != Kinds::whole) return undecided();
      const evaluator::Value out = evaluator::from_index_value(index.whole, t->sort, evaluator::Reals::exact);
      if (t->sort == Sort::real()) return real(Interval(std::get<evaluator::Exact>(out).value));
      return t->sort.kind == Sort::Kind::integer ? whole(std::get<std::int64_t>(out)) : undecided();
    }
    case Kind::cast:
      return converted(run(t->children[0], frame), t->children[0]->sort, t->format, t->sort);
    case Kind::conjunction:
    case Kind::disjunction:
      return connective(t, frame);
    case Kind::compare:
      return comparison(t, frame);
    case Kind::negation: {
      const Enclosed a = run(t->children[0], frame);
      return a.kind == Kinds::whole ? whole(a.whole == 0 ? 1 : 0) : undecided();
    }
    default:
      return index_value(t, frame);
  }
}

std::optional<std::vector<std::int64_t>> Enclosure::whole_children(Term t, Frame& frame) {
  std::vector<std::int64_t> out;
  for (Term child : t->children) {
    const Enclosed one = run(child, frame);
    if (one.kind != Kinds::whole) return std::nullopt;
    out.push_back(one.whole);
  }
  return out;
}

Enclosed Enclosure::index_value(Term t, Frame& frame) {
  const auto known = whole_children(t, frame);
  if (!known) return undecided();
  const std::vector<std::int64_t>& c = *known;
  std::int64_t out = 0, part = 0;
  switch (t->kind) {
    case Kind::integer: {
      const auto fits = to_i64(t->value.get_num());
      return fits ? whole(*fits) : undecided();
    }
    case Kind::symbol:
      return whole(symbols_.at(t->name));
    case Kind::axis:
      return whole(frame.axes->at(static_cast<std::size_t>(t->number)));
    case Kind::product:
      out = 1;
      for (std::int64_t x : c)
        if (__builtin_mul_overflow(out, x, &out)) return undecided();
      return whole(out);
    case Kind::polynomial:
      for (std::size_t i = 0; i < c.size(); ++i) {
        const auto factor = to_i64(t->coefficients[i]);
        if (!factor || __builtin_mul_overflow(*factor, c[i], &part) ||
            __builtin_add_overflow(out, part, &out))
          return undecided();
      }
      return whole(out);
    case Kind::floor_div: {
      const Integer quotient = c[1] == 0 ? Integer(0) : hallmark::floor_div(from_i64(c[0]), from_i64(c[1]));
      const auto fits = to_i64(quotient);
      return fits ? whole(*fits) : undecided();
    }
    case Kind::index_min:
      return whole(*std::min_element(c.begin(), c.end()));
    case Kind::index_max:
      return whole(*std::max_element(c.begin(), c.end()));
    case Kind::to_index:
      if (t->children[0]->sort == Sort::integer(Format::u64) && c[0] < 0) return undecided();
      return whole(c[0]);
    case Kind::at_most_zero:
      return whole(c[0] <= 0 ? 1 : 0);
    case Kind::is_zero:
      return whole(c[0] == 0 ? 1 : 0);
    default:
      return undecided();
  }
}

// As the evaluator: what reads no tensor guards what does.
Enclosed Enclosure::connective(Term t, Frame& frame) {
  const std::int64_t neutral = t->kind == Kind::conjunction ? 1 : 0;
  for (const bool reading : {false, true})
    for (Term child : t->children) {
      if (reads(child) != reading) continue;
      const Enclosed one = run(child, frame);
      if (one.kind != Kinds::whole) return undecided();
      if (one.whole != neutral) return one;
    }
  return whole(neutral);
}

Enclosed Enclosure::comparison(Term t, Frame& frame) {
  const Enclosed a = run(t->children[0], frame), b = run(t->children[1], frame);
  if (a.kind == Kinds::whole && b.kind == Kinds::whole)
    return whole(evaluator::compare_values(t->op, t->children[0]->sort, a.whole, b.whole) ? 1 : 0);
  const auto ordered = [&](bool below, bool above, bool equal) {
    if (below) return whole(t->op == Op::eq ? 0 : 1);
    if (above) return whole(0);
    return equal ? whole(t->op == Op::lt ? 0 : 1) : undecided();
  };
  if (a.kind == Kinds::real && b.kind == Kinds::real) {
    if (t->op == Op::lt && b.real.at_most(a.real)) return whole(0);
    if (t->op == Op::le && a.real.at_most(b.real)) return whole(1);
    const bool equal =
        a.real.is_point() && b.real.is_point() && a.real.at_most(b.real) && b.real.at_most(a.real);
    return ordered(a.real.below(b.real), b.real.below(a.real), equal);
  }
  const auto place = [](const Enclosed& x) { return x.kind == Kinds::extreme ? x.whole : 0; };
  if ((a.kind == Kinds::extreme || a.kind == Kinds::real) &&
      (b.kind == Kinds::extreme || b.kind == Kinds::real))
    return ordered(place(a) < place(b), place(a) > place(b), place(a) == place(b));
  return undecided();
}

Enclosed Enclosure::load_value(Term t, Frame& frame) {
  const auto at = whole_children(t, frame);
  return at ? element(t->name, *at) : undecided();
}

Enclosed Enclosure::fold_value(Term t, Frame& frame) {
  if (t->order != any_order() && t->order != seq_order()) return undecided();
  if (opened_.find(t) == opened_.end()) opened_.emplace(t, calculus::open(t));
  const FoldParts& parts = opened_.at(t);
  const Enclosed extent = run(parts.extent, frame);
  if (extent.kind != Kinds::whole) return undecided();
  std::vector<Enclosed> states;
  for (Term init : parts.init) states.push_back(run(init, frame));
  Frame inside{frame.axes, frame.variables};
  for (std::int64_t k = 0; k < extent.whole; ++k) {
    if (exhausted()) return undecided();
    inside.variables[parts.variable] = whole(k);
    for (std::size_t j = 0; j < states.size(); ++j) inside.variables[parts.states[j]] = states[j];
    if (parts.guard != nullptr) {
      const Enclosed guard = run(parts.guard, inside);
      if (guard.kind != Kinds::whole) return undecided();
      if (guard.whole == 0) continue;
    }
    for (std::size_t j = 0; j < states.size(); ++j) states[j] = run(parts.step[j], inside);
  }
  return states.at(static_cast<std::size_t>(t->which));
}

Enclosed Enclosure::operation_value(Term t, Frame& frame) {
  std::vector<Enclosed> x;
  for (Term child : t->children) x.push_back(run(child, frame));
  if (t->op == Op::custom) return undecided();
  if (t->sort == Sort::real()) return real_operation(t->op, x);
  std::vector<evaluator::Value> operands;
  for (const Enclosed& a : x) {
    if (a.kind != Kinds::whole) return undecided();
    operands.push_back(a.whole);
  }
  return whole(std::get<std::int64_t>(evaluator::operate(t, operands.data())));
}

}  // namespace hallmark::rules
