#include "smt/operation.h"

#include "base/error.h"

namespace hallmark::smt {
namespace {

// Euclid: 0 <= remainder < |divisor|.
Integer euclid_mod(const Integer& x, const Integer& y) {
  Integer r;
  mpz_mod(r.get_mpz_t(), x.get_mpz_t(), y.get_mpz_t());  // GMP: non-negative, by the divisor's absolute value
  return r;
}

Integer floor_of(const Rational& r) {
  return hallmark::floor_div(r.get_num(), r.get_den());
}

Integer wrap(const Integer& value, unsigned width) {
  Integer r;
  mpz_fdiv_r_2exp(r.get_mpz_t(), value.get_mpz_t(), width);
  return r;
}

Integer as_signed(const Integer& value, unsigned width) {
  return value >= power_of_two(width - 1) ? Integer(value - power_of_two(width)) : value;
}

Rational truth(bool b) {
  return b ? 1 : 0;
}

Integer shift(Op op, const Integer& x, const Integer& amount, unsigned width) {
  const bool arithmetic = op == Op::bv_shift_right_arithmetic;
  const Integer base = arithmetic ? as_signed(x, width) : x;
  if (amount >= width) return arithmetic && base < 0 ? Integer(-1) : Integer(0);
  const unsigned long bits = amount.get_ui();
  Integer r;
  if (op == Op::bv_shift_left)
    mpz_mul_2exp(r.get_mpz_t(), base.get_mpz_t(), bits);
  else
    mpz_fdiv_q_2exp(r.get_mpz_t(), base.get_mpz_t(), bits);
  return r;
}

std::optional<Rational> operate_bits(Op op, Sort result, const std::vector<Value>& args, unsigned first,
                                     unsigned second) {
  const unsigned width = args[0].sort.width();
  const Integer x = args[0].number.get_num();
  const Integer y = args.size() > 1 ? args[1].number.get_num() : Integer(0);
  const auto bits = [&](const Integer& value) { return Rational(wrap(value, result.width())); };
  switch (op) {
    case Op::bv_add:
      return bits(x + y);
    case Op::bv_multiply:
      return bits(x * y);
    case Op::bv_negate:
      return bits(-x);
    case Op::bv_and:
      return bits(x & y);
    case Op::bv_or:
      return bits(x | y);
    case Op::bv_xor:
      return bits(x ^ y);
    case Op::bv_not:
      return bits(~x);
    case Op::bv_shift_left:
    case Op::bv_shift_right:
    case Op::bv_shift_right_arithmetic:
      return bits(shift(op, x, y, width));
    case Op::bv_unsigned_divide:
      return y == 0 ? bits(Integer(-1)) : Rational(Integer(x / y));
    case Op::bv_unsigned_remainder:
      return y == 0 ? Rational(x) : Rational(Integer(x % y));
    case Op::bv_unsigned_less:
      return truth(x < y);
    case Op::bv_unsigned_less_equal:
      return truth(x <= y);
    case Op::bv_signed_less:
      return truth(as_signed(x, width) < as_signed(y, width));
    case Op::bv_signed_less_equal:
      return truth(as_signed(x, width) <= as_signed(y, width));
    case Op::bv_concat:
      return bits((x << args[1].sort.width()) + y);
    case Op::bv_extract:
      return bits(x >> second);
    case Op::bv_zero_extend:
    case Op::bv_to_natural:
      return Rational(x);
    case Op::bv_sign_extend:
      return bits(as_signed(x, width));
    case Op::integer_to_bv:
      return Rational(wrap(x, first));
    default:
      throw InternalError("an SMT operation without a meaning");
  }
}

}  // namespace

std::optional<Rational> operate(Op op, Sort result, const std::vector<Value>& args, unsigned first,
                                unsigned second) {
  const auto number = [&](std::size_t i) -> const Rational& { return args[i].number; };
  switch (op) {
    case Op::negation:
      return truth(!args[0].is_true());
    case Op::conjunction:
      for (const Value& v : args)
        if (!v.is_true()) return truth(false);
      return truth(true);
    case Op::disjunction:
      for (const Value& v : args)
        if (v.is_true()) return truth(true);
      return truth(false);
    case Op::implication:
      return truth(!args[0].is_true() || args[1].is_true());
    case Op::ite:
      return args[0].is_true() ? number(1) : number(2);
    case Op::equal:
      return truth(number(0) == number(1));
    case Op::distinct:
      for (std::size_t i = 0; i < args.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (number(i) == number(j)) return truth(false);
      return truth(true);
    case Op::add: {
      Rational sum = 0;
      for (const Value& v : args) sum += v.number;
      return sum;
    }
    case Op::multiply: {
      Rational product = 1;
      for (const Value& v : args) product *= v.number;
      return product;
    }
    case Op::negate:
      return Rational(-number(0));
    case Op::divide:
      if (number(1) == 0) return std::nullopt;
      return Rational(number(0) / number(1));
    case Op::div:
    case Op::mod: {
      if (number(1) == 0) return std::nullopt;
      const Integer x = number(0).get_num(), y = number(1).get_num();
      const Integer remainder = euclid_mod(x, y);
      return op == Op::mod ? Rational(remainder) : Rational(Integer((x - remainder) / y));
    }
    case Op::less:
      return truth(number(0) < number(1));
    case Op::less_equal:
      return truth(number(0) <= number(1));
    case Op::to_real:
      return number(0);
    case Op::to_integer:
      return Rational(floor_of(number(0)));
    default:
      return operate_bits(op, result, args, first, second);
  }
}

}  // namespace hallmark::smt
