// Correct rounding of exact values to the float formats of the kernel IR, and their decoding. IEEE 754-2019;
// one quiet NaN per format: 0x7fff, 0x7fffffff (as PTX produces it), 0x7ff8000000000000.
#pragma once
#include <cstdint>

#include "base/integer.h"
#include "validator/ir/opcode.h"
#include "validator/ir/type.h"

namespace hallmark::validator::interpreter {

struct FloatParts {
  enum class Kind : std::uint8_t { zero, finite, infinite, nan } kind = Kind::zero;
  bool negative = false;
};

FloatParts classify(ir::Type type, std::uint64_t bits);
bool is_subnormal(ir::Type type, std::uint64_t bits);
// The value of a zero or finite encoding.
Rational exact_value(ir::Type type, std::uint64_t bits);
// Every value of a format is a double.
double to_double(ir::Type type, std::uint64_t bits);

std::uint64_t canonical_nan(ir::Type type);
std::uint64_t infinity(ir::Type type, bool negative);
std::uint64_t zero(ir::Type type, bool negative);
std::uint64_t sign_bit(ir::Type type);

// Rounds a non-zero exact value; overflow gives infinity or the largest finite value as the direction says.
// `Rounding::none` is read as nearest_even.
std::uint64_t round_to(ir::Type type, const Rational& value, ir::Rounding rounding);
// The correctly rounded square root of a positive exact value.
std::uint64_t round_square_root(ir::Type type, const Rational& value, ir::Rounding rounding);
// A finite double, by nearest_even.
std::uint64_t round_double(ir::Type type, double value);

}  // namespace hallmark::validator::interpreter
