#include "validator/checks/identities.h"

#include "calculus/widening.h"
#include "validator/interpreter/float_round.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

namespace {

Term one(calculus::Format format) {
  switch (format) {
    case calculus::Format::f64:
      return calculus::float_constant(format, 0x3ff0000000000000u);
    case calculus::Format::f16:
      return calculus::float_constant(format, 0x3c00u);
    case calculus::Format::bf16:
      return calculus::float_constant(format, 0x3f80u);
    default:
      return calculus::float_constant(calculus::Format::f32, 0x3f800000u);
  }
}

bool is_two(Term t) {
  if (t->kind != Kind::constant || t->sort.kind != Sort::Kind::floating) return false;
  switch (t->sort.format) {
    case calculus::Format::f64:
      return t->bits == 0x4000000000000000u;
    case calculus::Format::f32:
      return t->bits == 0x40000000u;
    case calculus::Format::f16:
    case calculus::Format::bf16:
      return t->bits == 0x4000u;
    default:
      return false;
  }
}

bool is_zero_constant(Term t) {
  return t->kind == Kind::constant && t->sort.kind == Sort::Kind::floating && t->bits == 0;
}

Term negated(Term t) {
  if (t->kind == Kind::operation && t->op == Op::neg) return t->children[0];
  if (t->kind != Kind::constant) return nullptr;
  const unsigned width = calculus::storage_bits(t->sort.format);
  return calculus::float_constant(t->sort.format, t->bits ^ (std::uint64_t{1} << (width - 1)));
}

// -x < c is -c < x, for NaN and zeros too: neither has a sign that a comparison sees.
Term without_signs(Term node) {
  const Term x = node->children[0], y = node->children[1];
  if (x->sort.kind != Sort::Kind::floating ||
      (node->op != Op::lt && node->op != Op::le && node->op != Op::eq))
    return node;
  const auto is_negation = [](Term t) { return t->kind == Kind::operation && t->op == Op::neg; };
  if (!is_negation(x) && !is_negation(y)) return node;
  const Term left = negated(y), right = negated(x);
  if (left == nullptr || right == nullptr) return node;
  return node->op == Op::eq ? calculus::compare(node->op, right, left)
                            : calculus::compare(node->op, left, right);
}

// Rounding to a format leaves its own values as they are: those of a narrower format, and what was rounded to
// it before and kept in a wider one.
Term without_second_rounding(Term node) {
  const auto floats = [](Term t) { return t->sort.kind == Sort::Kind::floating; };
  if (node->kind != Kind::cast || !floats(node) || !floats(node->children[0])) return node;
  const Term inner = node->children[0];
  if (inner->sort == node->sort && calculus::holds_values_of(node->format, inner->sort.format)) return inner;
  // An exact step on the way to the format.
  if (inner->kind == Kind::cast && inner->format == inner->sort.format && floats(inner->children[0]) &&
      node->sort.format == node->format &&
      calculus::holds_values_of(inner->format, inner->children[0]->sort.format))
    return calculus::cast(inner->children[0], node->sort, node->format);
  if (inner->kind == Kind::cast && node->sort.format == node->format && inner->format == node->format &&
      floats(inner->children[0]) && inner->children[0]->sort == inner->sort &&
      calculus::holds_values_of(inner->sort.format, inner->format))
    return calculus::cast(inner->children[0], node->sort, node->format);
  return node;
}

// A literal number as a float is a constant; every other conversion stays one.
Term number_as_float(Term number, Sort sort) {
  const Integer* value = calculus::as_integer(number);
  if (value == nullptr && number->kind == Kind::to_index && number->children[0]->kind == Kind::constant)
    return number_as_float(calculus::integer(number->children[0]->value.get_num()), sort);
  // So many integers are values of every format that has 24 bits.
  if (value == nullptr || abs(*value) > 1 << 24 ||
      (sort.format != calculus::Format::f32 && sort.format != calculus::Format::f64))
    return calculus::from_index(number, sort);
  const ir::Type type = sort.format == calculus::Format::f64 ? ir::Type::f64 : ir::Type::f32;
  return calculus::float_constant(
      sort.format, *value == 0 ? interpreter::zero(type, false)
                               : interpreter::round_to(type, Rational(*value), ir::Rounding::nearest_even));
}

}  // namespace

Term identities(Term node) {
  if (node->kind == Kind::compare) return without_signs(node);
  if (node->kind == Kind::operation && node->op == Op::reciprocal && node->sort.kind == Sort::Kind::floating)
    return calculus::operation(Op::div, {one(node->sort.format), node->children[0]}, node->sort,
                               node->rounding, node->flush_subnormals);
  // 2 x and x + x have one exact value, so one rounding; compilers write either.
  if (node->kind == Kind::operation && node->op == Op::mul && node->sort.kind == Sort::Kind::floating)
    for (const std::size_t side : {0, 1})
      if (is_two(node->children[side])) {
        const Term x = node->children[1 - side];
        return calculus::operation(Op::add, {x, x}, node->sort, node->rounding, node->flush_subnormals);
      }
  // maxnum(a, +0): a NaN gives +0, -0 gives +0, as a > 0 ? a : +0 does.
  if (node->kind == Kind::select && node->sort.kind == Sort::Kind::floating) {
    const Term c = node->children[0], a = node->children[1], b = node->children[2];
    if (c->kind == Kind::compare && c->op == Op::lt && is_zero_constant(c->children[0]) &&
        c->children[1] == a && is_zero_constant(b))
      return calculus::operation(Op::maxnum, {a, b}, node->sort, calculus::Rounding::nearest);
    if (c->kind == Kind::negation && c->children[0]->kind == Kind::compare && c->children[0]->op == Op::lt &&
        is_zero_constant(c->children[0]->children[0]) && c->children[0]->children[1] == b &&
        is_zero_constant(a))
      return calculus::operation(Op::maxnum, {a, b}, node->sort, calculus::Rounding::nearest);
  }
  if (const Term shorter = without_second_rounding(node); shorter != node) return shorter;
  if (node->kind == Kind::cast && node->sort.kind == Sort::Kind::floating &&
      node->children[0]->sort.kind == Sort::Kind::integer) {
    // Doubles hold all integers of 32 bits, so only the sort rounds.
    const bool exact_double =
        node->format == calculus::Format::f64 && calculus::storage_bits(node->children[0]->sort.format) <= 32;
    if (node->sort.format == node->format || exact_double)
      return number_as_float(calculus::to_index(node->children[0]), node->sort);
  }
  if (node->kind == Kind::from_index && node->sort.kind == Sort::Kind::floating)
    return number_as_float(node->children[0], node->sort);
  return node;
}

Term normalise(Term value) {
  return calculus::rewrite(value, identities);
}

}  // namespace hallmark::validator
