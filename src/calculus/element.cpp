// Element terms. Nothing is simplified here: a formulation's roundings are what is written.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "calculus/arena.h"

namespace hallmark::calculus {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Op::custom) + 1> op_names{
    "none",        "neg",      "abs",     "sign",   "add",     "sub",     "mul",        "div",
    "mod",         "rem",      "fma",     "pow",    "sqrt",    "rsqrt",   "reciprocal", "max",
    "min",         "maximum",  "minimum", "maxnum", "minnum",  "exp",     "log",        "sin",
    "cos",         "tan",      "asin",    "acos",   "atan",    "sinh",    "cosh",       "tanh",
    "asinh",       "acosh",    "atanh",   "erf",    "floor",   "ceil",    "trunc",      "round_even",
    "scale2",      "exponent", "bit_and", "bit_or", "bit_xor", "bit_not", "shift_left", "shift_right",
    "logical_xor", "lt",       "le",      "eq",     "custom"};

// Operations whose two (first) operands may be exchanged on all encodings.
bool is_commutative(Op op) {
  switch (op) {
    case Op::add:
    case Op::mul:
    case Op::fma:
    case Op::max:
    case Op::min:
    case Op::maximum:
    case Op::minimum:
    case Op::maxnum:
    case Op::minnum:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::logical_xor:
      return true;
    default:
      return false;
  }
}

std::size_t arity(Op op) {
  switch (op) {
    case Op::fma:
      return 3;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::mod:
    case Op::rem:
    case Op::pow:
    case Op::max:
    case Op::min:
    case Op::maximum:
    case Op::minimum:
    case Op::maxnum:
    case Op::minnum:
    case Op::scale2:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::shift_left:
    case Op::shift_right:
    case Op::logical_xor:
      return 2;
    default:
      return 1;
  }
}

Term constant(Sort sort, const Rational& value, std::uint64_t bits) {
  Node n = leaf(Kind::constant, sort);
  n.value = value;
  n.bits = bits;
  return intern(std::move(n));
}

}  // namespace

std::string_view name(Op op) {
  return op_names.at(static_cast<std::size_t>(op));
}

Term real_constant(const Rational& value) {
  return constant(Sort::real(), value, 0);
}

Term int_constant(Format format, const Integer& value) {
  ensure(is_integer(format), "an integer constant of a float format");
  const Integer modulus = power_of_two(storage_bits(format));
  Integer v = floor_mod(value, modulus);
  if (is_signed(format) && v >= modulus / 2) v -= modulus;
  return constant(Sort::integer(format), Rational(v), 0);
}

Term float_constant(Format format, std::uint64_t bits) {
  ensure(is_float(format) && (storage_bits(format) == 64 || bits >> storage_bits(format) == 0),
         "bits wider than the format");
  return constant(Sort::floating(format), 0, bits);
}

Term extreme(int sign) {
  Node n = leaf(Kind::extreme, Sort::real());
  n.number = sign;
  return intern(std::move(n));
}

Term load(std::string_view tensor, const std::vector<Term>& indices, Sort sort) {
  for (Term index : indices) ensure(index->sort == Sort::index(), "a load index of another sort");
  Node n = leaf(Kind::load, sort);
  n.name = tensor;
  n.children = indices;
  return intern(std::move(n));
}

Term operation(Op op, const std::vector<Term>& arguments, Sort sort, Rounding rounding, bool ftz) {
  ensure(op != Op::custom && op != Op::none && op != Op::lt && op != Op::le && op != Op::eq,
         "not an element operation");
  ensure(arguments.size() == arity(op), "wrong number of operands");
  ensure((rounding != Rounding::none) == (sort.kind == Sort::Kind::floating),
         "a rounding belongs to Float operations alone");
  for (Term a : arguments)
    ensure(a->sort == sort || op == Op::scale2, "operands of another sort than the result");
  Node n = leaf(Kind::operation, sort);
  n.op = op;
  n.rounding = rounding;
  n.flush_subnormals = ftz;
  n.children = arguments;
  if (is_commutative(op) && compare_terms(n.children[1], n.children[0]) < 0)
    std::swap(n.children[0], n.children[1]);
  return intern(std::move(n));
}

Term custom_operation(std::string_view name, const std::vector<Term>& arguments, Sort sort) {
  Node n = leaf(Kind::operation, sort);
  n.op = Op::custom;
  n.name = name;
  n.children = arguments;
  return intern(std::move(n));
}

Term apply(Op op, const std::vector<Term>& arguments) {
  const Sort sort = arguments.at(0)->sort;
  return operation(op, arguments, sort,
                   sort.kind == Sort::Kind::floating ? Rounding::nearest : Rounding::none);
}

Term select(Term condition, Term a, Term b) {
  ensure(condition->sort == Sort::boolean() && a->sort == b->sort, "a select of two sorts");
  if (a->sort == Sort::index()) return index_select(condition, a, b);
  if (a == b) return a;
  if (condition->kind == Kind::truth) return condition->number != 0 ? a : b;
  if (a->sort == Sort::boolean()) return either(both(condition, a), both(negation(condition), b));
  Node n = leaf(Kind::select, a->sort);
  n.children = {condition, a, b};
  return intern(std::move(n));
}

Term from_index(Term index, Sort sort) {
  const Integer* value = as_integer(index);
  if (value != nullptr && sort.kind == Sort::Kind::real) return real_constant(Rational(*value));
  if (value != nullptr && sort.kind == Sort::Kind::integer) return int_constant(sort.format, *value);
  Node n = leaf(Kind::from_index, sort);
  n.rounding = sort.kind == Sort::Kind::floating ? Rounding::nearest : Rounding::none;
  n.children = {index};
  return intern(std::move(n));
}

Term cast(Term element, Sort sort, Format format) {
  Node n = leaf(Kind::cast, sort);
  n.format = format;
  n.children = {element};
  return intern(std::move(n));
}

}  // namespace hallmark::calculus
