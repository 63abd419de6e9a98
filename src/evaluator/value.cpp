#include "evaluator/value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "evaluator/float_format.h"
#include "evaluator/float_operation.h"
#include "evaluator/integer_operation.h"

namespace hallmark::evaluator {

using namespace calculus;
using SortKind = Sort::Kind;

namespace {

Value real_value(const Rational& exact, Reals reals) {
  if (reals == Reals::exact) return Exact{exact, 0};
  return nearest(Format::f64, exact);
}

Value real_value(double number, Reals reals) {
  if (reals == Reals::in_double) return number;
  if (!std::isfinite(number))
    throw Refusal("E1003", "a NaN or an infinity has no exact value; evaluate in double instead");
  return Exact{exact_rational(number), 0};
}

Rational integer_rational(std::int64_t value, bool is_signed) {
  return is_signed ? Rational(from_i64(value)) : Rational(from_u64(static_cast<std::uint64_t>(value)));
}

double integer_to_float(Format format, std::int64_t value, bool is_signed) {
  constexpr std::int64_t exact_up_to = std::int64_t{1} << 53;
  if (value >= -exact_up_to && value <= exact_up_to && (is_signed || value >= 0))
    return round_to(format, static_cast<double>(value), Rounding::nearest);
  return nearest(format, integer_rational(value, is_signed));
}

std::int64_t truncated(Format format, const Rational& value) {
  const Integer whole = value.get_num() / value.get_den();
  const Integer half = power_of_two(storage_bits(format) - 1);
  const bool with_sign = calculus::is_signed(format);
  const Integer low = with_sign ? Integer(-half) : Integer(0);
  const Integer high = with_sign ? Integer(half - 1) : Integer(2 * half - 1);
  const Integer kept = std::min(std::max(whole, low), high);
  return with_sign ? *to_i64(kept) : static_cast<std::int64_t>(*to_u64(kept));
}

const Rational& plain(const Exact& x) {
  if (x.extreme != 0) throw Refusal("E1001", "the maximum or minimum of an empty range has no known value");
  return x.value;
}

// One conversion from sort to sort.
Value convert(const Value& value, Sort from, Sort to, Reals reals) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* number = std::get_if<double>(&value);
  const auto* exact = std::get_if<Exact>(&value);
  const bool with_sign = from.kind != SortKind::integer || calculus::is_signed(from.format);
  switch (to.kind) {
    case SortKind::real:
      if (whole != nullptr) return real_value(integer_rational(*whole, with_sign), reals);
      return number != nullptr ? real_value(*number, reals) : value;
    case SortKind::floating:
      if (whole != nullptr) return integer_to_float(to.format, *whole, with_sign);
      return number != nullptr ? round_to(to.format, *number, Rounding::nearest)
                               : nearest(to.format, plain(*exact));
    case SortKind::integer:
      if (whole != nullptr) return wrap(to.format, static_cast<std::uint64_t>(*whole));
      return number != nullptr ? saturate(to.format, *number) : truncated(to.format, plain(*exact));
    case SortKind::boolean:
      if (whole != nullptr) return std::int64_t{*whole != 0};
      return std::int64_t{number != nullptr ? *number != 0 : sgn(plain(*exact)) != 0};
    case SortKind::index:
      break;
  }
  throw InternalError("a cast to sort index");
}

}  // namespace

Value constant_value(Term a, Reals reals) {
  if (a->kind == Kind::truth) return std::int64_t{a->number};
  if (a->kind == Kind::extreme) {
    if (reals == Reals::exact) return Exact{0, a->number};
    return a->number * std::numeric_limits<double>::infinity();
  }
  switch (a->sort.kind) {
    case SortKind::real:
      return real_value(a->value, reals);
    case SortKind::floating:
      return decode(a->sort.format, a->bits);
    default:
      if (const auto value = to_i64(a->value.get_num())) return *value;
      return static_cast<std::int64_t>(to_u64(a->value.get_num()).value());
  }
}

Value from_index_value(std::int64_t index, Sort sort, Reals reals) {
  return convert(index, Sort::integer(Format::i64), sort, reals);
}

Value cast_value(const Value& value, Sort from, Format format, Sort to, Reals reals) {
  // A rational is rounded to the format once; a format's own value is then exact in the sort Real.
  const Value middle = convert(value, from, stored_sort(format), reals);
  return convert(middle, stored_sort(format), to, reals);
}

bool compare_values(Op op, Sort sort, const Value& a, const Value& b) {
  if (const auto* x = std::get_if<double>(&a)) return float_compare(op, *x, std::get<double>(b));
  if (const auto* x = std::get_if<Exact>(&a)) return exact_compare(op, *x, std::get<Exact>(b));
  const Format format = sort.kind == SortKind::integer ? sort.format : Format::i64;
  return integer_compare(op, format, std::get<std::int64_t>(a), std::get<std::int64_t>(b));
}

Value operate(Term a, const Value* operands) {
  const std::size_t count = a->children.size();
  switch (a->sort.kind) {
    case SortKind::floating:
    case SortKind::real: {
      if (std::holds_alternative<Exact>(operands[0])) {
        Exact x[3];
        for (std::size_t i = 0; i < count; ++i)
          if (const auto* whole = std::get_if<std::int64_t>(&operands[i]))
            x[i].value = Rational(from_i64(*whole));
          else if (const auto* number = std::get_if<double>(&operands[i]))
            x[i].value = exact_rational(*number);
          else
            x[i] = std::get<Exact>(operands[i]);
        return exact_operation(a->op, x);
      }
      double x[3] = {0, 0, 0};
      for (std::size_t i = 0; i < count; ++i)
        if (const auto* whole = std::get_if<std::int64_t>(&operands[i]))
          x[i] = static_cast<double>(*whole);
        else if (const auto* exact = std::get_if<Exact>(&operands[i]))
          x[i] = nearest(Format::f64, plain(*exact));
        else
          x[i] = std::get<double>(operands[i]);
      if (a->sort.kind == SortKind::real) return double_operation(a->op, x);
      return float_operation(a->op, a->sort.format, a->rounding, a->flush_subnormals, x);
    }
    case SortKind::integer: {
      std::int64_t x[3] = {0, 0, 0};
      for (std::size_t i = 0; i < count; ++i) x[i] = std::get<std::int64_t>(operands[i]);
      return integer_operation(a->op, a->sort.format, x);
    }
    case SortKind::boolean: {
      bool x[3] = {false, false, false};
      for (std::size_t i = 0; i < count; ++i) x[i] = std::get<std::int64_t>(operands[i]) != 0;
      return std::int64_t{boolean_operation(a->op, x)};
    }
    case SortKind::index:
      break;
  }
  throw InternalError("an operation of sort index");
}

}  // namespace hallmark::evaluator
