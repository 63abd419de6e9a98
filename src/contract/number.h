// Exact numbers in text: "-1", "0.1", "1e-5", "0x1.8p-3", "1/3".
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/integer.h"

namespace hallmark::contract {

// Nothing when the text is no number, or an exponent is beyond +-5000 (wider than every format).
std::optional<Rational> parse_number(std::string_view text);
// The shortest of: an integer, a decimal with at most 24 digits, a fraction. parse_number() reads it back.
std::string print_number(const Rational& value);
// Whether print_number()'s text is a number in TOML too (fractions are not).
bool is_toml_number(const std::string& printed);

}  // namespace hallmark::contract
