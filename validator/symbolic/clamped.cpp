#include "validator/symbolic/clamped.h"

#include "validator/interpreter/float_round.h"
#include "validator/symbolic/interval.h"

namespace hallmark::validator {

using calculus::Format;
using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

std::optional<Rational> constant_value(Term t) {
  if (t->kind != Kind::constant || t->sort.kind != Sort::Kind::floating) return std::nullopt;
  const ir::Type type = t->sort.format == Format::f64 ? ir::Type::f64 : ir::Type::f32;
  if (t->sort.format != Format::f64 && t->sort.format != Format::f32) return std::nullopt;
  // An exponent of ones only: an infinity or NaN.
  const unsigned fraction = type == ir::Type::f64 ? 52 : 23, exponent = type == ir::Type::f64 ? 0x7ff : 0xff;
  if ((t->bits >> fraction & exponent) == exponent) return std::nullopt;
  return interpreter::exact_value(type, t->bits);
}

// The other operand of op(constant, other), and the constant.
std::optional<std::pair<Rational, Term>> bounded_by(Term t, Op op) {
  if (t->kind != Kind::operation || t->op != op || t->flush_subnormals) return std::nullopt;
  for (const std::size_t side : {0, 1})
    if (const auto value = constant_value(t->children[side])) return std::pair(*value, t->children[1 - side]);
  return std::nullopt;
}

}  // namespace

std::optional<Clamped> clamped(Term element) {
  for (const Op outer : {Op::minnum, Op::maxnum}) {
    const auto first = bounded_by(element, outer);
    if (!first) continue;
    const auto second = bounded_by(first->second, outer == Op::minnum ? Op::maxnum : Op::minnum);
    if (!second) continue;
    const Clamped out =
        outer == Op::minnum ? Clamped{second->first, first->first} : Clamped{first->first, second->first};
    if (out.low <= out.high) return out;
  }
  return std::nullopt;
}

Term truncated_in_range(Term element, Format format) {
  const auto range = clamped(element);
  const Interval whole = format_range(format);
  // Truncation goes towards 0, which no format excludes: the bounds' own truncations bound it.
  if (!range || range->low <= Rational(*whole.low) - 1 || range->high >= Rational(*whole.high) + 1)
    return nullptr;
  return calculus::to_index(
      calculus::custom_operation("to_integer.rz", {element}, Sort::integer(Format::i64)));
}

}  // namespace hallmark::validator
