#include "validator/interpreter/float_arithmetic.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <map>

#include "validator/interpreter/float_round.h"

namespace hallmark::validator::interpreter {

namespace {

using ir::Opcode;
using ir::Rounding;
using Kind = FloatParts::Kind;

bool is_nearest(Rounding r) {
  return r == Rounding::none || r == Rounding::nearest_even;
}

// Sum of exact parts with the sign rule for zeros (IEEE 754-2019, 6.3): equal signs keep theirs, x - x is +0
// except when rounding down.
std::uint64_t rounded_sum(ir::Type t, const Rational& sum, bool negative_a, bool negative_b, Rounding r) {
  if (sum != 0) return round_to(t, sum, r);
  return zero(t, negative_a == negative_b ? negative_a : r == Rounding::down);
}

std::uint64_t add(ir::Type t, std::uint64_t a, std::uint64_t b, Rounding r) {
  const FloatParts pa = classify(t, a), pb = classify(t, b);
  if (pa.kind == Kind::nan || pb.kind == Kind::nan) return canonical_nan(t);
  if (pa.kind == Kind::infinite || pb.kind == Kind::infinite) {
    if (pa.kind == pb.kind && pa.negative != pb.negative) return canonical_nan(t);
    return infinity(t, pa.kind == Kind::infinite ? pa.negative : pb.negative);
  }
  if (is_nearest(r) && t == ir::Type::f32) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
    const float y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    return std::bit_cast<std::uint32_t>(x + y);
  }
  if (is_nearest(r) && t == ir::Type::f64)
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b));
  return rounded_sum(t, exact_value(t, a) + exact_value(t, b), pa.negative, pb.negative, r);
}

std::uint64_t multiply(ir::Type t, std::uint64_t a, std::uint64_t b, Rounding r) {
  const FloatParts pa = classify(t, a), pb = classify(t, b);
  const bool negative = pa.negative != pb.negative;
  if (pa.kind == Kind::nan || pb.kind == Kind::nan) return canonical_nan(t);
  if (pa.kind == Kind::infinite || pb.kind == Kind::infinite)
    return pa.kind == Kind::zero || pb.kind == Kind::zero ? canonical_nan(t) : infinity(t, negative);
  if (pa.kind == Kind::zero || pb.kind == Kind::zero) return zero(t, negative);
  if (is_nearest(r) && t == ir::Type::f32) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
    const float y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    return std::bit_cast<std::uint32_t>(x * y);
  }
  if (is_nearest(r) && t == ir::Type::f64)
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) * std::bit_cast<double>(b));
  return round_to(t, exact_value(t, a) * exact_value(t, b), r);
}

std::uint64_t fma(ir::Type t, std::uint64_t a, std::uint64_t b, std::uint64_t c, Rounding r) {
  const FloatParts pa = classify(t, a), pb = classify(t, b), pc = classify(t, c);
  const bool negative = pa.negative != pb.negative;
  if (pa.kind == Kind::nan || pb.kind == Kind::nan || pc.kind == Kind::nan) return canonical_nan(t);
  if (pa.kind == Kind::infinite || pb.kind == Kind::infinite) {
    if (pa.kind == Kind::zero || pb.kind == Kind::zero) return canonical_nan(t);
    if (pc.kind == Kind::infinite && pc.negative != negative) return canonical_nan(t);
    return infinity(t, negative);
  }
  if (pc.kind == Kind::infinite) return c;
  if (is_nearest(r) && t == ir::Type::f32) {
    const auto f = [](std::uint64_t v) { return std::bit_cast<float>(static_cast<std::uint32_t>(v)); };
    return std::bit_cast<std::uint32_t>(std::fma(f(a), f(b), f(c)));
  }
  if (is_nearest(r) && t == ir::Type::f64)
    return std::bit_cast<std::uint64_t>(
        std::fma(std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(c)));
  return rounded_sum(t, exact_value(t, a) * exact_value(t, b) + exact_value(t, c), negative, pc.negative, r);
}

std::uint64_t divide(ir::Type t, std::uint64_t a, std::uint64_t b, Rounding r) {
  const FloatParts pa = classify(t, a), pb = classify(t, b);
  const bool negative = pa.negative != pb.negative;
  if (pa.kind == Kind::nan || pb.kind == Kind::nan) return canonical_nan(t);
  if (pa.kind == Kind::infinite) return pb.kind == Kind::infinite ? canonical_nan(t) : infinity(t, negative);
  if (pb.kind == Kind::infinite) return zero(t, negative);
  if (pb.kind == Kind::zero) return pa.kind == Kind::zero ? canonical_nan(t) : infinity(t, negative);
  if (pa.kind == Kind::zero) return zero(t, negative);
  return round_to(t, exact_value(t, a) / exact_value(t, b), r);
}

std::uint64_t square_root(ir::Type t, std::uint64_t a, Rounding r) {
  const FloatParts p = classify(t, a);
  if (p.kind == Kind::zero) return a;
  if (p.kind == Kind::nan || p.negative) return canonical_nan(t);
  if (p.kind == Kind::infinite) return a;
  return round_square_root(t, exact_value(t, a), r);
}

// -1, 0, 1; with -0 below +0 when `order_zeros`.
int order(ir::Type t, std::uint64_t a, std::uint64_t b, bool order_zeros) {
  const auto key = [&](std::uint64_t v) -> std::int64_t {
    const auto magnitude = static_cast<std::int64_t>(v & (sign_bit(t) - 1));
    if ((v & sign_bit(t)) == 0) return magnitude;
    return order_zeros ? -magnitude - 1 : -magnitude;
  };
  const std::int64_t x = key(a), y = key(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

std::uint64_t extreme(const ir::Instruction& i, ir::Type t, std::uint64_t a, std::uint64_t b) {
  const bool nan_a = classify(t, a).kind == Kind::nan, nan_b = classify(t, b).kind == Kind::nan;
  if (nan_a || nan_b) {
    if (i.propagate_nan || (nan_a && nan_b)) return canonical_nan(t);
    return nan_a ? b : a;
  }
  const int o = order(t, a, b, true);
  return (i.opcode == Opcode::float_max) == (o >= 0) ? a : b;
}

std::uint64_t to_integral(ir::Type t, std::uint64_t a, Rounding r) {
  const FloatParts p = classify(t, a);
  if (p.kind == Kind::nan) return canonical_nan(t);
  if (p.kind != Kind::finite) return a;
  const double x = to_double(t, a);
  double result = 0;
  switch (r) {
    case Rounding::toward_zero:
      result = std::trunc(x);
      break;
    case Rounding::down:
      result = std::floor(x);
      break;
    case Rounding::up:
      result = std::ceil(x);
      break;
    case Rounding::nearest_away:
      result = std::round(x);
      break;
    default:
      result = std::nearbyint(x);
      break;
  }
  return result == 0 ? zero(t, p.negative) : round_double(t, result);
}

std::uint64_t convert(ir::Type from, ir::Type to, std::uint64_t a, Rounding r) {
  const FloatParts p = classify(from, a);
  switch (p.kind) {
    case Kind::nan:
      return canonical_nan(to);
    case Kind::infinite:
      return infinity(to, p.negative);
    case Kind::zero:
      return zero(to, p.negative);
    default:
      return from == to ? a : round_to(to, exact_value(from, a), r);
  }
}

std::uint64_t flush(ir::Type t, std::uint64_t a) {
  return is_subnormal(t, a) ? a & sign_bit(t) : a;
}

double host_function(Opcode op, double x) {
  switch (op) {
    case Opcode::float_reciprocal:
      return 1.0 / x;
    case Opcode::float_reciprocal_sqrt:
      return 1.0 / std::sqrt(x);
    case Opcode::float_sqrt:
      return std::sqrt(x);
    case Opcode::float_exp2:
      return std::exp2(x);
    case Opcode::float_log2:
      return std::log2(x);
    case Opcode::float_sin:
      return std::sin(x);
    case Opcode::float_cos:
      return std::cos(x);
    default:
      return std::tanh(x);
  }
}

}  // namespace

FloatResult float_operation(const ir::Instruction& i, ir::Type from, ir::Type to,
                            std::span<const std::uint64_t> operands) {
  const auto in = [&](std::size_t n) { return i.flush_subnormals ? flush(from, operands[n]) : operands[n]; };
  FloatResult result;
  switch (i.opcode) {
    case Opcode::float_neg:
    case Opcode::float_abs: {
      const std::uint64_t a = in(0);
      if (i.flush_subnormals && classify(from, a).kind == Kind::nan) return {canonical_nan(to), false};
      return {i.opcode == Opcode::float_neg ? a ^ sign_bit(to) : a & ~sign_bit(to), false};
    }
    case Opcode::float_copysign:
      return {(operands[0] & ~sign_bit(to)) | (operands[1] & sign_bit(to)), false};
    case Opcode::float_add:
      result.bits = add(to, in(0), in(1), i.rounding);
      break;
    case Opcode::float_sub:
      // A NaN's sign does not matter: NaNs are one value.
      result.bits = add(to, in(0), in(1) ^ sign_bit(to), i.rounding);
      break;
    case Opcode::float_mul:
      result.bits = multiply(to, in(0), in(1), i.rounding);
      break;
    case Opcode::float_fma:
      result.bits = fma(to, in(0), in(1), in(2), i.rounding);
      break;
    case Opcode::float_div:
      result.bits = divide(to, in(0), in(1), i.rounding);
      result.approximate = i.approximate;
      break;
    case Opcode::float_min:
    case Opcode::float_max:
      result.bits = extreme(i, to, in(0), in(1));
      break;
    case Opcode::float_convert:
      result.bits = convert(from, to, in(0), i.rounding);
      break;
    case Opcode::round_to_integral:
      result.bits = to_integral(to, in(0), i.rounding);
      break;
    default:
      if (!i.approximate && i.opcode == Opcode::float_sqrt) {
        result.bits = square_root(to, in(0), i.rounding);
      } else if (!i.approximate && i.opcode == Opcode::float_reciprocal) {
        result.bits = divide(to, round_double(to, 1.0), in(0), i.rounding);
      } else {
        result.bits = round_double(to, host_function(i.opcode, to_double(from, in(0))));
        result.approximate = true;
      }
      break;
  }
  if (i.flush_subnormals) result.bits = flush(to, result.bits);
  if (i.saturate) {
    if (classify(to, result.bits).kind == Kind::nan || (result.bits & sign_bit(to)) != 0)
      result.bits = 0;
    else if (order(to, result.bits, round_double(to, 1.0), true) > 0)
      result.bits = round_double(to, 1.0);
  }
  return result;
}

namespace {

// c + a1 b1 + a2 b2 + ... rounded once: one of the results that tensor cores may give.
std::uint64_t sum_of_products(ir::Type type, std::span<const std::uint64_t> operands) {
  double sum = to_double(type, operands[0]);
  for (std::size_t n = 1; n + 1 < operands.size(); n += 2)
    sum += to_double(type, operands[n]) * to_double(type, operands[n + 1]);
  return round_double(type, sum);
}

}  // namespace

FloatResult library_function(std::string_view name, ir::Type type, std::span<const std::uint64_t> operands) {
  if (name == "cvt.rna.tf32" && operands.size() == 1) {
    constexpr std::uint64_t half = 0x1000, kept = 0xffffe000;
    const bool finite =
        classify(type, operands[0]).kind != Kind::nan && classify(type, operands[0]).kind != Kind::infinite;
    return {finite ? (operands[0] + half) & kept : operands[0], false};
  }
  if (name.starts_with("mma.") && operands.size() % 2 == 1) return {sum_of_products(type, operands), true};
  using Unary = double (*)(double);
  using Binary = double (*)(double, double);
  static const std::map<std::string_view, Unary> unary{
      {"exp", [](double x) { return std::exp(x); }},
      {"exp2", [](double x) { return std::exp2(x); }},
      {"exp10", [](double x) { return std::pow(10.0, x); }},
      {"expm1", [](double x) { return std::expm1(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"log2", [](double x) { return std::log2(x); }},
      {"log10", [](double x) { return std::log10(x); }},
      {"log1p", [](double x) { return std::log1p(x); }},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }},
      {"asin", [](double x) { return std::asin(x); }},
      {"acos", [](double x) { return std::acos(x); }},
      {"atan", [](double x) { return std::atan(x); }},
      {"sinh", [](double x) { return std::sinh(x); }},
      {"cosh", [](double x) { return std::cosh(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"asinh", [](double x) { return std::asinh(x); }},
      {"acosh", [](double x) { return std::acosh(x); }},
      {"atanh", [](double x) { return std::atanh(x); }},
      {"erf", [](double x) { return std::erf(x); }},
      {"erfc", [](double x) { return std::erfc(x); }},
      {"cbrt", [](double x) { return std::cbrt(x); }},
      {"rsqrt", [](double x) { return 1.0 / std::sqrt(x); }}};
  static const std::map<std::string_view, Binary> binary{
      {"pow", [](double x, double y) { return std::pow(x, y); }},
      {"fmod", [](double x, double y) { return std::fmod(x, y); }},
      {"atan2", [](double x, double y) { return std::atan2(x, y); }},
      {"hypot", [](double x, double y) { return std::hypot(x, y); }}};
  std::string_view base = name;
  if (base.starts_with("__")) base.remove_prefix(2);
  const bool is_double = unary.contains(base) || binary.contains(base);
  if (!is_double && base.ends_with('f')) base.remove_suffix(1);
  if (const auto f = unary.find(base); f != unary.end() && operands.size() == 1)
    return {round_double(type, f->second(to_double(type, operands[0]))), true};
  if (const auto f = binary.find(base); f != binary.end() && operands.size() == 2)
    return {round_double(type, f->second(to_double(type, operands[0]), to_double(type, operands[1]))), true};
  throw Refusal("E3301", fmt::format("the interpreter does not know the function {}", name));
}

bool float_compare(ir::Predicate predicate, ir::Type type, std::uint64_t a, std::uint64_t b, bool ftz) {
  using P = ir::Predicate;
  if (ftz) {
    a = flush(type, a);
    b = flush(type, b);
  }
  if (classify(type, a).kind == Kind::nan || classify(type, b).kind == Kind::nan)
    return predicate >= P::unordered_equal;
  const int o = order(type, a, b, false);
  switch (predicate) {
    case P::ordered:
      return true;
    case P::unordered:
      return false;
    case P::ordered_equal:
    case P::unordered_equal:
      return o == 0;
    case P::ordered_not_equal:
    case P::unordered_not_equal:
      return o != 0;
    case P::ordered_less:
    case P::unordered_less:
      return o < 0;
    case P::ordered_less_equal:
    case P::unordered_less_equal:
      return o <= 0;
    case P::ordered_greater:
    case P::unordered_greater:
      return o > 0;
    case P::ordered_greater_equal:
    case P::unordered_greater_equal:
      return o >= 0;
    default:
      throw InternalError("an integer predicate on floats");
  }
}

IntegerResult float_to_integer(const ir::Instruction& i, ir::Type from, ir::Type to, std::uint64_t a) {
  const bool is_signed = i.opcode == Opcode::float_to_signed;
  const unsigned width = ir::bits_of(to);
  if (i.flush_subnormals) a = flush(from, a);
  const FloatParts p = classify(from, a);
  if (p.kind == Kind::nan) {
    if (!i.clamped_conversion) return {0, false};
    const bool wide = from == ir::Type::f64 || width == 64;
    return {wide ? std::uint64_t{1} << (width - 1) : 0, true};
  }
  const Integer high = power_of_two(is_signed ? width - 1 : width) - 1;
  const Integer low = is_signed ? Integer(-power_of_two(width - 1)) : Integer(0);
  Integer value;
  if (p.kind == Kind::infinite) {
    value = p.negative ? Integer(low - 1) : Integer(high + 1);
  } else {
    const Rounding r = i.rounding == Rounding::none ? Rounding::toward_zero : i.rounding;
    value = Integer(to_double(from, to_integral(from, a, r)));
  }
  if (value < low || value > high) {
    if (!i.clamped_conversion) return {0, false};
    value = value < low ? low : high;
  }
  if (value < 0) value += power_of_two(width);
  return {*to_u64(value), true};
}

std::uint64_t integer_to_float(const ir::Instruction& i, ir::Type from, ir::Type to, std::uint64_t a) {
  Integer value = from_u64(a);
  if (i.opcode == Opcode::signed_to_float && (a >> (ir::bits_of(from) - 1) & 1) != 0)
    value -= power_of_two(ir::bits_of(from));
  std::uint64_t bits = value == 0 ? zero(to, false) : round_to(to, Rational(value), i.rounding);
  if (i.saturate) {
    if ((bits & sign_bit(to)) != 0) bits = 0;
    if (order(to, bits, round_double(to, 1.0), true) > 0) bits = round_double(to, 1.0);
  }
  return bits;
}

}  // namespace hallmark::validator::interpreter
