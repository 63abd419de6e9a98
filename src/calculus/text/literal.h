// Number literals: decimal ("12", "0.125", "1e-3"), hexadecimal ("0x1.8p+3") and their exact values.
#pragma once
#include <optional>
#include <string>

#include "calculus/sort.h"
#include "calculus/term.h"

namespace hallmark::calculus::text {

// The exact value of a number token. Empty when its exponent is beyond +-5000 or it has more than 10000
// digits.
std::optional<Rational> literal_value(const std::string& token);
// Whether the token can be an index: digits alone, or a hexadecimal number without point and exponent.
bool is_whole_literal(const std::string& token);

// The encoding of a value of a float format; empty when the format has no such value. `negative` gives -0.
std::optional<std::uint64_t> exact_encoding(Format format, const Rational& value, bool negative);
// The literal of the format's value nearest to this one, ties to even; empty where that overflows.
std::optional<std::string> nearest_literal(Format format, const Rational& value, bool negative);
std::string largest_literal(Format format);
std::uint64_t infinity_encoding(Format format, bool negative);  // not of f8e4m3
std::uint64_t nan_encoding(Format format);
// The value of an encoding; empty for NaN and infinities.
std::optional<Rational> decoded(Format format, std::uint64_t bits);

// The literal of a nonnegative rational: decimal when that is short, hexadecimal when the denominator is a
// power of two; empty for other denominators.
std::optional<std::string> written_literal(const Rational& value);

}  // namespace hallmark::calculus::text
