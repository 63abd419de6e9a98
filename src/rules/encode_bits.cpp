#include "base/error.h"
#include "rules/encode.h"

// Integer elements as bit vectors; the meaning of each operation is that of evaluator/integer_operation.h.
namespace hallmark::rules {

namespace c = calculus;

namespace {

smt::Sort bits_of(c::Format format) {
  return smt::Sort::bit_vector(c::storage_bits(format));
}

smt::Term number(smt::Arena& arena, const Integer& value, smt::Term like) {
  return arena.bit_vector(value, like.sort().width());
}

smt::Term below(bool is_signed, smt::Term a, smt::Term b) {
  return smt::bv(is_signed ? smt::Op::bv_signed_less : smt::Op::bv_unsigned_less, a, b);
}

smt::Term negative(smt::Term a) {
  return below(true, a, number(a.arena(), 0, a));
}

smt::Term negated(smt::Term a) {
  return smt::bv(smt::Op::bv_negate, a);
}

smt::Term magnitude(smt::Term a) {
  return smt::ite(negative(a), negated(a), a);
}

bool is_zero(smt::Term a) {
  return a.is_constant() && a.value() == 0;
}

// Cut towards 0; 0 by 0.
smt::Term quotient(bool is_signed, smt::Term a, smt::Term b) {
  const smt::Term zero = number(a.arena(), 0, a);
  if (is_zero(b)) return zero;
  smt::Term out =
      smt::bv(smt::Op::bv_unsigned_divide, is_signed ? magnitude(a) : a, is_signed ? magnitude(b) : b);
  if (is_signed) out = smt::ite(smt::equal(negative(a), negative(b)), out, negated(out));
  return smt::ite(smt::equal(b, zero), zero, out);
}

// With the sign of the dividend; 0 by 0.
smt::Term remainder(bool is_signed, smt::Term a, smt::Term b) {
  const smt::Term zero = number(a.arena(), 0, a);
  if (is_zero(b)) return zero;
  smt::Term out =
      smt::bv(smt::Op::bv_unsigned_remainder, is_signed ? magnitude(a) : a, is_signed ? magnitude(b) : b);
  if (is_signed) out = smt::ite(negative(a), negated(out), out);
  return smt::ite(smt::equal(b, zero), zero, out);
}

}  // namespace

smt::Term Encoder::in_bits(c::Term term) {
  if (term->sort.kind != c::Sort::Kind::integer)
    throw Refusal("E2102", "elements of sort " + c::to_string(term->sort) + " have no bits here");
  const smt::Sort sort = bits_of(term->sort.format);
  const std::vector<c::Term>& children = term->children;
  switch (term->kind) {
    case c::Kind::constant:
      return arena_.bit_vector(term->value.get_num(), sort.width());
    case c::Kind::variable:
      return arena_.variable("element " + variable_name(term), sort);
    case c::Kind::load:
      return application("bits " + term->name, children, sort);
    case c::Kind::from_index:
      if (const Integer* value = c::as_integer(children[0])) return arena_.bit_vector(*value, sort.width());
      return arena_.apply(
          arena_.declare("index modulo " + std::to_string(sort.width()), {smt::Sort::integer()}, sort),
          {encode(children[0])});
    case c::Kind::select:
      return smt::ite(encode(children[0]), encode(children[1]), encode(children[2]));
    case c::Kind::cast:
      return converted_bits(term);
    case c::Kind::operation:
      return operation_in_bits(term);
    default:
      return opaque("bits of ", term, sort);
  }
}

smt::Term Encoder::converted_bits(c::Term conversion) {
  const c::Term x = conversion->children[0];
  const smt::Sort sort = bits_of(conversion->sort.format);
  // A number of one integer format in another: by its own sign upwards, the low bits downwards.
  const auto convert = [](smt::Term value, c::Format from, c::Format to) {
    const unsigned before = c::storage_bits(from), after = c::storage_bits(to);
    if (after > before) return smt::bv_extend(value, after - before, c::is_signed(from));
    return after < before ? smt::bv_extract(value, after - 1, 0) : value;
  };
  const bool whole = c::is_integer(conversion->format);
  if (x->sort == c::Sort::boolean() && whole) {
    const smt::Term one = arena_.bit_vector(1, sort.width()), zero = arena_.bit_vector(0, sort.width());
    return smt::ite(encode(x), one, zero);
  }
  if (x->sort.kind != c::Sort::Kind::integer || !whole) return opaque("bits of ", conversion, sort);
  return convert(convert(encode(x), x->sort.format, conversion->format), conversion->format,
                 conversion->sort.format);
}

smt::Term Encoder::comparison_in_bits(c::Term term) {
  const smt::Term a = encode(term->children[0]), b = encode(term->children[1]);
  const bool is_signed = c::is_signed(term->children[0]->sort.format);
  if (term->op == c::Op::eq) return smt::equal(a, b);
  return term->op == c::Op::lt ? below(is_signed, a, b) : smt::negation(below(is_signed, b, a));
}

smt::Term Encoder::operation_in_bits(c::Term term) {
  for (c::Term child : term->children)
    if (child->sort != term->sort) return opaque("bits of ", term, bits_of(term->sort.format));
  const bool is_signed = c::is_signed(term->sort.format);
  std::vector<smt::Term> x;
  for (c::Term child : term->children) x.push_back(encode(child));
  const smt::Term zero = number(arena_, 0, x[0]), one = number(arena_, 1, x[0]);
  switch (term->op) {
    case c::Op::neg:
      return negated(x[0]);
    case c::Op::abs:
      return is_signed ? magnitude(x[0]) : x[0];
    case c::Op::sign: {
      const smt::Term positive = smt::ite(smt::equal(x[0], zero), zero, one);
      return is_signed ? smt::ite(negative(x[0]), negated(one), positive) : positive;
    }
    case c::Op::add:
      return smt::bv(smt::Op::bv_add, x[0], x[1]);
    case c::Op::sub:
      return smt::bv_subtract(x[0], x[1]);
    case c::Op::mul:
      return smt::bv(smt::Op::bv_multiply, x[0], x[1]);
    case c::Op::fma:
      return smt::bv(smt::Op::bv_add, smt::bv(smt::Op::bv_multiply, x[0], x[1]), x[2]);
    case c::Op::div:
      return quotient(is_signed, x[0], x[1]);
    case c::Op::reciprocal:
      return quotient(is_signed, one, x[0]);
    case c::Op::rem:
      return remainder(is_signed, x[0], x[1]);
    case c::Op::mod: {
      const smt::Term rest = remainder(is_signed, x[0], x[1]);
      if (!is_signed) return rest;
      const smt::Term moved =
          smt::conjunction(smt::not_equal(rest, zero), smt::not_equal(negative(rest), negative(x[1])));
      return smt::ite(moved, smt::bv(smt::Op::bv_add, rest, x[1]), rest);
    }
    case c::Op::max:
    case c::Op::maximum:
    case c::Op::maxnum:
      return smt::ite(below(is_signed, x[0], x[1]), x[1], x[0]);
    case c::Op::min:
    case c::Op::minimum:
    case c::Op::minnum:
      return smt::ite(below(is_signed, x[1], x[0]), x[1], x[0]);
    case c::Op::floor:
    case c::Op::ceil:
    case c::Op::trunc:
    case c::Op::round_even:
      return x[0];
    case c::Op::bit_and:
      return smt::bv(smt::Op::bv_and, x[0], x[1]);
    case c::Op::bit_or:
      return smt::bv(smt::Op::bv_or, x[0], x[1]);
    case c::Op::bit_xor:
      return smt::bv(smt::Op::bv_xor, x[0], x[1]);
    case c::Op::bit_not:
      return smt::bv(smt::Op::bv_not, x[0]);
    // An amount is read without sign; from the width on, nothing of the number is left but its sign.
    case c::Op::shift_left:
      return smt::bv(smt::Op::bv_shift_left, x[0], x[1]);
    case c::Op::shift_right:
      return smt::bv(is_signed ? smt::Op::bv_shift_right_arithmetic : smt::Op::bv_shift_right, x[0], x[1]);
    default:
      return opaque("bits of ", term, bits_of(term->sort.format));
  }
}

}  // namespace hallmark::rules
