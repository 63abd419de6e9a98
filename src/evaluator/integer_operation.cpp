#include "evaluator/integer_operation.h"

#include <cmath>

#include "base/error.h"

namespace hallmark::evaluator {

using calculus::Format;
using calculus::Op;

namespace {

using I = std::int64_t;
using U = std::uint64_t;

[[noreturn]] void refuse(Op op, std::string_view of) {
  throw Refusal("E1002",
                "the operation '" + std::string(name(op)) + "' has no meaning on " + std::string(of));
}

U magnitude(I a) {
  return a < 0 ? -static_cast<U>(a) : static_cast<U>(a);
}

I divide(bool is_signed, I a, I b) {
  if (b == 0) return 0;
  if (!is_signed) return static_cast<I>(static_cast<U>(a) / static_cast<U>(b));
  const U q = magnitude(a) / magnitude(b);
  return static_cast<I>((a < 0) != (b < 0) ? -q : q);
}

I remainder(bool is_signed, I a, I b) {
  if (b == 0) return 0;
  if (!is_signed) return static_cast<I>(static_cast<U>(a) % static_cast<U>(b));
  const U r = magnitude(a) % magnitude(b);
  return static_cast<I>(a < 0 ? -r : r);
}

I power(bool is_signed, I base, I exponent) {
  if (is_signed && exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return (exponent & 1) != 0 ? -1 : 1;
    return 0;
  }
  U result = 1, square = static_cast<U>(base);
  for (U e = static_cast<U>(exponent); e != 0; e >>= 1, square *= square)
    if ((e & 1) != 0) result *= square;
  return static_cast<I>(result);
}

I shift(bool left, Format format, I a, I amount) {
  const unsigned width = storage_bits(format);
  const U mask = width == 64 ? ~U{0} : (U{1} << width) - 1;
  const U n = static_cast<U>(amount) & mask;
  if (left) return n >= width ? 0 : static_cast<I>(static_cast<U>(a) << n);
  if (is_signed(format)) return a >> (n >= width ? 63 : n);
  return n >= width ? 0 : static_cast<I>(static_cast<U>(a) >> n);
}

}  // namespace

I wrap(Format format, U value) {
  const unsigned unused = 64 - storage_bits(format);
  const U high = value << unused;
  return is_signed(format) ? static_cast<I>(high) >> unused : static_cast<I>(high >> unused);
}

bool integer_compare(Op op, Format format, I a, I b) {
  if (op == Op::eq) return a == b;
  const bool less = is_signed(format) ? a < b : static_cast<U>(a) < static_cast<U>(b);
  return less || (op == Op::le && a == b);
}

I integer_operation(Op op, Format format, const I* x) {
  const bool is_signed = calculus::is_signed(format);
  const auto u = [&](int i) { return static_cast<U>(x[i]); };
  switch (op) {
    case Op::neg:
      return wrap(format, -u(0));
    case Op::abs:
      return wrap(format, is_signed ? magnitude(x[0]) : u(0));
    case Op::sign:
      return x[0] == 0 ? 0 : is_signed && x[0] < 0 ? -1 : 1;
    case Op::add:
      return wrap(format, u(0) + u(1));
    case Op::sub:
      return wrap(format, u(0) - u(1));
    case Op::mul:
      return wrap(format, u(0) * u(1));
    case Op::fma:
      return wrap(format, u(0) * u(1) + u(2));
    case Op::div:
      return wrap(format, static_cast<U>(divide(is_signed, x[0], x[1])));
    case Op::rem:
      return wrap(format, static_cast<U>(remainder(is_signed, x[0], x[1])));
    case Op::mod: {
      const I r = remainder(is_signed, x[0], x[1]);
      return wrap(format, static_cast<U>(is_signed && r != 0 && (r < 0) != (x[1] < 0) ? r + x[1] : r));
    }
    case Op::pow:
      return wrap(format, static_cast<U>(power(is_signed, x[0], x[1])));
    case Op::reciprocal:
      return wrap(format, static_cast<U>(divide(is_signed, 1, x[0])));
    case Op::max:
    case Op::maximum:
    case Op::maxnum:
      return integer_compare(Op::lt, format, x[0], x[1]) ? x[1] : x[0];
    case Op::min:
    case Op::minimum:
    case Op::minnum:
      return integer_compare(Op::lt, format, x[1], x[0]) ? x[1] : x[0];
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round_even:
      return x[0];
    case Op::bit_and:
      return x[0] & x[1];
    case Op::bit_or:
      return x[0] | x[1];
    case Op::bit_xor:
      return x[0] ^ x[1];
    case Op::bit_not:
      return wrap(format, ~u(0));
    case Op::shift_left:
      return wrap(format, static_cast<U>(shift(true, format, x[0], x[1])));
    case Op::shift_right:
      return wrap(format, static_cast<U>(shift(false, format, x[0], x[1])));
    default:
      refuse(op, "integers");
  }
}

bool boolean_operation(Op op, const bool* x) {
  switch (op) {
    case Op::bit_and:
    case Op::min:
    case Op::mul:
      return x[0] && x[1];
    case Op::bit_or:
    case Op::max:
      return x[0] || x[1];
    case Op::bit_xor:
    case Op::logical_xor:
      return x[0] != x[1];
    case Op::bit_not:
      return !x[0];
    default:
      refuse(op, "booleans");
  }
}

I saturate(Format format, double value) {
  if (std::isnan(value)) return 0;
  const unsigned width = storage_bits(format);
  const double whole = std::trunc(value);
  if (is_signed(format)) {
    const double bound = std::ldexp(1.0, static_cast<int>(width) - 1);
    if (whole >= bound) return static_cast<I>((U{1} << (width - 1)) - 1);
    if (whole < -bound) return wrap(format, U{1} << (width - 1));
    return static_cast<I>(whole);
  }
  if (whole <= 0) return 0;
  if (whole >= std::ldexp(1.0, static_cast<int>(width)))
    return static_cast<I>(width == 64 ? ~U{0} : (U{1} << width) - 1);
  return static_cast<I>(static_cast<U>(whole));
}

}  // namespace hallmark::evaluator
