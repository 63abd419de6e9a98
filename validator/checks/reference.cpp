#include "validator/checks/reference.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "validator/checks/match.h"
#include "validator/checks/specification.h"
#include "validator/interpreter/float_arithmetic.h"
#include "validator/interpreter/float_round.h"

namespace hallmark::validator {

using calculus::Format;
using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

// Of a buffer's elements, or of a scalar parameter.
calculus::Format format_of(const plan::KernelSpec& spec, const std::string& name) {
  for (const plan::Parameter& parameter : spec.parameters)
    if (parameter.scalar && parameter.scalar->name == name) return parameter.scalar->format;
  return buffer_of(spec, name).declaration.format;
}

ir::Type type_of(Format format) {
  switch (format) {
    case Format::f64:
      return ir::Type::f64;
    case Format::f32:
      return ir::Type::f32;
    case Format::f16:
      return ir::Type::f16;
    case Format::bf16:
      return ir::Type::bf16;
    default:
      throw Refusal("E4020", "no concrete arithmetic for format " + std::string(calculus::name(format)));
  }
}

ir::Rounding rounding_of(calculus::Rounding rounding) {
  switch (rounding) {
    case calculus::Rounding::toward_zero:
      return ir::Rounding::toward_zero;
    case calculus::Rounding::down:
      return ir::Rounding::down;
    case calculus::Rounding::up:
      return ir::Rounding::up;
    default:
      return ir::Rounding::nearest_even;
  }
}

Integer wrapped(Format format, const Integer& value) {
  const Integer modulus = power_of_two(calculus::storage_bits(format));
  Integer v = floor_mod(value, modulus);
  if (calculus::is_signed(format) && v >= modulus / 2) v -= modulus;
  return v;
}

}  // namespace

Reference::Reference(const plan::KernelSpec& spec, std::map<std::string, Integer> symbols, Read read)
    : spec_(spec), symbols_(std::move(symbols)), read_(std::move(read)) {}

void Reference::at(const std::vector<Integer>& point) {
  if (point == point_) return;
  // What does not mention a changed axis keeps its value: the reductions of a row, for all its columns.
  std::uint64_t changed = point.size() == point_.size() ? 0 : ~std::uint64_t{0};
  for (std::size_t d = 0; changed != ~std::uint64_t{0} && d < point.size(); ++d)
    if (point[d] != point_[d]) changed |= std::uint64_t{1} << std::min<std::size_t>(d, 63);
  point_ = point;
  for (auto& [axes, values] : closed_)
    if ((axes & changed) != 0) values.clear();
}

std::uint64_t Reference::axes_of(Term term) {
  if (term->kind == Kind::axis) return std::uint64_t{1} << std::min(term->number, 63);
  if (term->children.empty()) return 0;
  if (const auto found = axes_.find(term); found != axes_.end()) return found->second;
  std::uint64_t out = 0;
  for (Term child : term->children) out |= axes_of(child);
  axes_.emplace(term, out);
  return out;
}

Integer Reference::index(Term term) {
  return evaluate(term).number;
}
bool Reference::condition(Term term) {
  return evaluate(term).number != 0;
}
bool Reference::holds_at(const plan::Ensure& ensure, const std::vector<Integer>& point) {
  at(point);
  return ensure.guard == nullptr || condition(ensure.guard);
}
Integer Reference::target(const plan::Ensure& ensure, const std::vector<Integer>& point) {
  at(point);
  Term& flat = targets_[&ensure];
  if (flat == nullptr) flat = flatten(buffer_of(spec_, ensure.buffer), ensure.target);
  return index(flat);
}
Term Reference::prepared(const plan::Ensure& ensure) {
  Term& term = prepared_[&ensure];
  if (term == nullptr) {
    term =
        calculus::rewrite(calculus::expand_functions(ensure.value, spec_.functions), [&](Term node) -> Term {
          if (node->kind != Kind::load || plan::is_float_scalar(spec_, node->name)) return node;
          return calculus::load(node->name, {flatten(buffer_of(spec_, node->name), node->children)},
                                node->sort);
        });
  }
  return term;
}

Reference::Real Reference::real(const plan::Ensure& ensure, const std::vector<Integer>& point) {
  at(point);
  if (ensure.value->sort.kind != Sort::Kind::real) throw Refusal("E4020", "the value is not a real");
  const Value v = evaluate(prepared(ensure));
  return {v.real, v.error, v.pole};
}

std::uint64_t Reference::value(const plan::Ensure& ensure, const std::vector<Integer>& point) {
  at(point);
  const Value v = evaluate(prepared(ensure));
  if (ensure.value->sort.kind == Sort::Kind::floating) return v.bits;
  const unsigned bits = calculus::storage_bits(buffer_of(spec_, ensure.buffer).declaration.format);
  return *to_u64(floor_mod(v.number, power_of_two(bits)));
}

Reference::Value Reference::evaluate(Term term) {
  if (term->children.empty()) return compute(term);
  // A term is often shared many times over, functions above all; open ones are kept until a variable changes.
  const auto known = [&]() -> std::unordered_map<Term, Value>& {
    return term->open ? open_ : closed_[axes_of(term)];
  };
  if (const auto found = known().find(term); found != known().end()) return found->second;
  const Value out = compute(term);
  known().emplace(term, out);
  return out;
}

Reference::Value Reference::operation(Term t) {
  if (t->sort.kind == Sort::Kind::floating) {
    ir::Instruction i;
    i.rounding = rounding_of(t->rounding);
    i.flush_subnormals = t->flush_subnormals;
    const ir::Type type = type_of(t->sort.format);
    switch (t->op) {
      case Op::add:
        i.opcode = ir::Opcode::float_add;
        break;
      case Op::sub:
        i.opcode = ir::Opcode::float_sub;
        break;
      case Op::mul:
        i.opcode = ir::Opcode::float_mul;
        break;
      case Op::div:
        i.opcode = ir::Opcode::float_div;
        break;
      case Op::fma:
        i.opcode = ir::Opcode::float_fma;
        break;
      case Op::sqrt:
        i.opcode = ir::Opcode::float_sqrt;
        break;
      case Op::reciprocal:
        i.opcode = ir::Opcode::float_reciprocal;
        break;
      case Op::neg:
        i.opcode = ir::Opcode::float_neg;
        break;
      case Op::abs:
        i.opcode = ir::Opcode::float_abs;
        break;
      case Op::maximum:
      case Op::maxnum:
        i.opcode = ir::Opcode::float_max;
        i.propagate_nan = t->op == Op::maximum;
        break;
      case Op::minimum:
      case Op::minnum:
        i.opcode = ir::Opcode::float_min;
        i.propagate_nan = t->op == Op::minimum;
        break;
      case Op::floor:
      case Op::ceil:
      case Op::trunc:
      case Op::round_even:
        i.opcode = ir::Opcode::round_to_integral;
        i.rounding = t->op == Op::floor   ? ir::Rounding::down
                     : t->op == Op::ceil  ? ir::Rounding::up
                     : t->op == Op::trunc ? ir::Rounding::toward_zero
                                          : ir::Rounding::nearest_even;
        break;
      default:
        throw Refusal("E4020", "no concrete meaning for " + brief(t, 1));
    }
    std::vector<std::uint64_t> operands;
    for (Term child : t->children) operands.push_back(evaluate(child).bits);
    const interpreter::FloatResult result = interpreter::float_operation(i, type, type, operands);
    if (result.approximate) throw Refusal("E4020", "the bits of " + brief(t, 1) + " are not known");
    return {0, result.bits};
  }
  if (t->sort.kind == Sort::Kind::real) return real_operation(t);
  if (t->sort.kind != Sort::Kind::integer) throw Refusal("E4020", "no concrete meaning for " + brief(t, 1));
  std::vector<Integer> a;
  for (Term child : t->children) a.push_back(evaluate(child).number);
  const auto out = [&](const Integer& v) { return Value{wrapped(t->sort.format, v), 0}; };
  switch (t->op) {
    case Op::add:
      return out(a[0] + a[1]);
    case Op::sub:
      return out(a[0] - a[1]);
    case Op::mul:
      return out(a[0] * a[1]);
    case Op::neg:
      return out(-a[0]);
    case Op::abs:
      return out(abs(a[0]));
    case Op::max:
      return out(std::max(a[0], a[1]));
    case Op::min:
      return out(std::min(a[0], a[1]));
    case Op::div:  // towards 0, and x / 0 = 0: the total model
      return out(a[1] == 0 ? Integer(0) : Integer(a[0] / a[1]));
    case Op::rem:
      return out(a[1] == 0 ? Integer(0) : Integer(a[0] % a[1]));
    case Op::mod:
      return out(a[1] == 0 ? Integer(0) : Integer(a[0] - a[1] * hallmark::floor_div(a[0], a[1])));
    case Op::bit_and:
      return out(a[0] & a[1]);
    case Op::bit_or:
      return out(a[0] | a[1]);
    case Op::bit_xor:
      return out(a[0] ^ a[1]);
    default:
      throw Refusal("E4020", "no concrete meaning for " + brief(t, 1));
  }
}

Reference::Value Reference::convert(Term t) {
  const Term child = t->children[0];
  const Value v = evaluate(child);
  const bool from_float = child->sort.kind == Sort::Kind::floating,
             to_float = t->sort.kind == Sort::Kind::floating;
  if (from_float && to_float) {
    ir::Instruction i;
    i.opcode = ir::Opcode::float_convert;
    i.rounding = ir::Rounding::nearest_even;
    std::uint64_t bits = v.bits;
    if (child->sort.format != t->format) {
      const std::uint64_t operand[1] = {bits};
      bits = interpreter::float_operation(i, type_of(child->sort.format), type_of(t->format), operand).bits;
    }
    if (t->format != t->sort.format) {
      const std::uint64_t operand[1] = {bits};
      bits = interpreter::float_operation(i, type_of(t->format), type_of(t->sort.format), operand).bits;
    }
    return {0, bits};
  }
  if (child->sort.kind == Sort::Kind::real) return converted_real(t, v);
  if (!from_float && to_float && t->format == t->sort.format) {
    const ir::Type type = type_of(t->sort.format);
    return {0,
            v.number == 0 ? 0 : interpreter::round_to(type, Rational(v.number), ir::Rounding::nearest_even)};
  }
  if (!from_float && t->sort.kind == Sort::Kind::integer) return {wrapped(t->sort.format, v.number), 0};
  throw Refusal("E4020", "no concrete meaning for a conversion");
}

Reference::Value Reference::compute(Term t) {
  const auto yes = [](bool b) { return Value{b ? 1 : 0, 0}; };
  switch (t->kind) {
    case Kind::integer:
      return {t->value.get_num(), 0};
    case Kind::symbol: {
      const auto found = symbols_.find(t->name);
      if (found == symbols_.end()) throw Refusal("E4020", "no value for " + t->name);
      return {found->second, 0};
    }
    case Kind::axis:
      // A claim about every element of an output has no point.
      if (static_cast<std::size_t>(t->number) >= point_.size())
        throw Refusal("E4020", "an axis without an output element");
      return {point_[static_cast<std::size_t>(t->number)], 0};
    case Kind::variable: {
      const auto found = variables_.find(t);
      ensure(found != variables_.end(), "a variable without a value");
      return found->second;
    }
    case Kind::product: {
      Integer p = 1;
      for (Term c : t->children) p *= evaluate(c).number;
      return {p, 0};
    }
    case Kind::polynomial: {
      Integer s = 0;
      for (std::size_t i = 0; i < t->children.size(); ++i)
        s += t->coefficients[i] * evaluate(t->children[i]).number;
      return {s, 0};
    }
    case Kind::floor_div:
      return {hallmark::floor_div(evaluate(t->children[0]).number, evaluate(t->children[1]).number), 0};
    case Kind::index_min:
    case Kind::index_max: {
      Integer m = evaluate(t->children[0]).number;
      for (Term c : t->children) {
        const Integer v = evaluate(c).number;
        if (t->kind == Kind::index_min ? v < m : v > m) m = v;
      }
      return {m, 0};
    }
    case Kind::index_select:
    case Kind::select:
      return evaluate(t->children[condition(t->children[0]) ? 1 : 2]);
    case Kind::to_index:
      return {evaluate(t->children[0]).number, 0};
    case Kind::from_index: {
      const Integer v = evaluate(t->children[0]).number;
      if (t->sort.kind == Sort::Kind::integer) return {wrapped(t->sort.format, v), 0};
      if (t->sort.kind == Sort::Kind::real) return {0, 0, v.get_d()};
      const ir::Type type = type_of(t->sort.format);
      return {0, v == 0 ? 0 : interpreter::round_to(type, Rational(v), ir::Rounding::nearest_even)};
    }
    case Kind::truth:
      return yes(t->number != 0);
    case Kind::at_most_zero:
      return yes(evaluate(t->children[0]).number <= 0);
    case Kind::is_zero:
      return yes(evaluate(t->children[0]).number == 0);
    case Kind::conjunction:
      for (Term c : t->children)
        if (!condition(c)) return yes(false);
      return yes(true);
    case Kind::disjunction:
      for (Term c : t->children)
        if (condition(c)) return yes(true);
      return yes(false);
    case Kind::negation:
      return yes(!condition(t->children[0]));
    case Kind::compare: {
      const Value a = evaluate(t->children[0]), b = evaluate(t->children[1]);
      const Sort sort = t->children[0]->sort;
      if (sort.kind == Sort::Kind::real) return yes(real_comparison(t->op, a, b));
      if (sort.kind == Sort::Kind::floating) {
        const ir::Predicate p = t->op == Op::lt   ? ir::Predicate::ordered_less
                                : t->op == Op::le ? ir::Predicate::ordered_less_equal
                                                  : ir::Predicate::ordered_equal;
        return yes(interpreter::float_compare(p, type_of(sort.format), a.bits, b.bits, false));
      }
      return yes(t->op == Op::lt   ? a.number < b.number
                 : t->op == Op::le ? a.number <= b.number
                                   : a.number == b.number);
    }
    case Kind::is_nan:
      return yes(
          interpreter::classify(type_of(t->children[0]->sort.format), evaluate(t->children[0]).bits).kind ==
          interpreter::FloatParts::Kind::nan);
    case Kind::constant:
      if (t->sort.kind == Sort::Kind::floating) return {0, t->bits};
      if (t->sort.kind == Sort::Kind::real) {
        const double value = t->value.get_d();
        return {0, 0, value, t->value.get_den() == 1 ? 0 : unit_ * std::fabs(value)};
      }
      return {t->value.get_num(), 0};
    case Kind::extreme:  // the start of a maximum or minimum, never an element
      return {0, 0, t->number < 0 ? -HUGE_VAL : HUGE_VAL};
    case Kind::load: {
      // A scalar parameter of a float format is an element too.
      const Integer at = t->children.empty() ? Integer(0) : evaluate(t->children[0]).number;
      const std::optional<std::uint64_t> element = to_u64(at);
      const auto bits = element && read_ ? read_(t->name, *element) : std::nullopt;
      if (!bits) throw Refusal("E4020", "a read of arbitrary contents of " + t->name);
      if (t->sort.kind == Sort::Kind::floating) return {0, *bits};
      if (t->sort.kind == Sort::Kind::real)
        return {0, 0, interpreter::to_double(type_of(format_of(spec_, t->name)), *bits)};
      return {wrapped(t->sort.format, from_u64(*bits)), 0};
    }
    case Kind::operation:
      return operation(t);
    case Kind::cast:
      return convert(t);
    case Kind::fold: {
      if (t->order->kind != calculus::Order::Kind::seq && t->order->kind != calculus::Order::Kind::any) {
        Term& plain = expanded_[t];
        if (plain == nullptr) plain = expand_order(t);
        return evaluate(plain);
      }
      const auto [place, fresh] = opened_.try_emplace(t);
      if (fresh) place->second = calculus::open(t);
      const calculus::FoldParts parts = place->second;
      const Integer extent = evaluate(parts.extent).number;
      if (extent > 2000000) throw Refusal("E4020", "a fold too long to be evaluated");
      std::vector<Value> state;
      for (Term init : parts.init) state.push_back(evaluate(init));
      for (Integer k = 0; k < extent; ++k) {
        variables_[parts.variable] = {k, 0};
        for (std::size_t j = 0; j < state.size(); ++j) variables_[parts.states[j]] = state[j];
        open_.clear();
        if (parts.guard != nullptr && !condition(parts.guard)) continue;
        std::vector<Value> next;
        for (Term step : parts.step) next.push_back(evaluate(step));
        state = next;
      }
      open_.clear();
      return state.at(static_cast<std::size_t>(t->which));
    }
    default:
      throw Refusal("E4020", "no concrete meaning for " + brief(t, 1));
  }
}

}  // namespace hallmark::validator
