#include "contract/number.h"

#include <algorithm>
#include <cctype>

namespace hallmark::contract {
namespace {

constexpr long maximum_exponent = 5000;

Rational power(unsigned base, long exponent) {
  Integer p;
  mpz_ui_pow_ui(p.get_mpz_t(), base, static_cast<unsigned long>(exponent < 0 ? -exponent : exponent));
  return exponent < 0 ? Rational(1, p) : Rational(p);
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

// Reads digits with an optional point. `scale` counts the digits after the point; false without a digit.
bool read_digits(std::string_view& text, unsigned base, Integer& value, long& scale) {
  bool any = false, point = false;
  scale = 0;
  while (!text.empty()) {
    const char c = text.front();
    if (c == '.' && !point) {
      point = true;
    } else if (digit_value(c) < static_cast<int>(base)) {
      value = value * base + digit_value(c);
      any = true;
      if (point) ++scale;
    } else {
      break;
    }
    text.remove_prefix(1);
  }
  return any && scale <= maximum_exponent;
}

// An optional exponent after `mark`; false when it is malformed or too large.
bool read_exponent(std::string_view& text, char mark, long& exponent) {
  exponent = 0;
  if (text.empty() || std::tolower(static_cast<unsigned char>(text.front())) != mark) return true;
  text.remove_prefix(1);
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0) return false;
  while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
    exponent = std::min(exponent * 10 + (text.front() - '0'), maximum_exponent + 1);
    text.remove_prefix(1);
  }
  if (exponent > maximum_exponent) return false;
  if (negative) exponent = -exponent;
  return true;
}

std::string strip(const std::string& digits) {
  const std::size_t end = digits.find_last_not_of('0');
  return end == std::string::npos ? "0" : digits.substr(0, end + 1);
}

// The decimal expansion when it is finite: significant digits and the exponent of the first one.
bool decimal(const Rational& value, std::string& digits, long& exponent) {
  Integer denominator = value.get_den();
  long twos = 0, fives = 0;
  while (mpz_even_p(denominator.get_mpz_t()) != 0 && twos <= 400) denominator /= 2, ++twos;
  while (mpz_divisible_ui_p(denominator.get_mpz_t(), 5) != 0 && fives <= 400) denominator /= 5, ++fives;
  if (denominator != 1) return false;
  const long places = std::max(twos, fives);
  const Rational scaled = value * power(10, places);
  digits = Integer(abs(scaled.get_num())).get_str();
  exponent = static_cast<long>(digits.size()) - 1 - places;
  digits = strip(digits);
  return digits.size() <= 24;
}

}  // namespace

std::optional<Rational> parse_number(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.size() > 10'000) return std::nullopt;
  Rational value;
  Integer digits = 0;
  long scale = 0, exponent = 0;
  if (text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.remove_prefix(2);
    if (!read_digits(text, 16, digits, scale) || !read_exponent(text, 'p', exponent)) return std::nullopt;
    value = Rational(digits) * power(2, exponent - 4 * scale);
  } else {
    if (!read_digits(text, 10, digits, scale)) return std::nullopt;
    if (!text.empty() && text.front() == '/' && scale == 0) {
      text.remove_prefix(1);
      Integer denominator = 0;
      if (!read_digits(text, 10, denominator, scale) || scale != 0 || denominator == 0) return std::nullopt;
      value = Rational(digits, denominator);
    } else {
      if (!read_exponent(text, 'e', exponent)) return std::nullopt;
      value = Rational(digits) * power(10, exponent - scale);
    }
  }
  if (!text.empty()) return std::nullopt;
  value.canonicalize();
  return negative ? Rational(-value) : value;
}

std::string print_number(const Rational& value) {
  const std::string sign = value < 0 ? "-" : "";
  std::string digits;
  long exponent = 0;
  if (value == 0) return "0";
  if (value.get_den() == 1 && mpz_sizeinbase(value.get_num().get_mpz_t(), 10) <= 18) return value.get_str();
  if (!decimal(value, digits, exponent)) return value.get_str();
  if (exponent >= -4 && exponent < 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  if (exponent >= 0 && exponent < 16) {
    const std::size_t whole = static_cast<std::size_t>(exponent) + 1;
    if (digits.size() > whole) return sign + digits.substr(0, whole) + "." + digits.substr(whole);
  }
  std::string out = sign + digits.substr(0, 1);
  if (digits.size() > 1) out += "." + digits.substr(1);
  return out + "e" + std::to_string(exponent);
}

bool is_toml_number(const std::string& printed) {
  return printed.find('/') == std::string::npos;
}

}  // namespace hallmark::contract
