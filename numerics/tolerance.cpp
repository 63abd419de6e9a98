#include "numerics/tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "contract/format_values.h"
#include "contract/number.h"
#include "numerics/rounding.h"

namespace hallmark::numerics {

using calculus::Format;
using contract::Tolerance;

namespace {

Rational part(const std::optional<Rational>& value) {
  return value.value_or(Rational(0));
}

// On [a, b], within one binade (or below the normal range), where the spacing is at least that at a.
bool holds_on(const Value& v, const Tolerance& t, const Rational& a, const Rational& b, Format format) {
  const Rational constant = part(t.absolute) + part(t.ulp) * contract::spacing_at(a, format);
  const auto allowed = [&](const Rational& x) { return Interval(Rational(constant + part(t.relative) * x)); };
  const auto at_most = [](const Interval& upper, const Interval& lower) {
    return mpfr_lessequal_p(upper.high(), lower.low()) != 0;
  };
  if (at_most(v.absolute, allowed(a))) return true;
  const auto mixed = [&](const Rational& x) { return v.relative.from_zero() * x + v.rest.from_zero(); };
  // Both sides are linear, so the ends suffice.
  return at_most(mixed(a), allowed(a)) && at_most(mixed(b), allowed(b));
}

}  // namespace

bool within_tolerance(const Value& v, const Tolerance& t, Format format) {
  if (!v.bounded) return false;
  if (v.absolute.is_zero()) return true;
  if (v.units && v.units->format == format && v.units->count <= part(t.ulp)) return true;
  const Rational most = v.exact.magnitude().exact_high();
  Rational from = v.exact.mignitude().exact_low();
  const Rational normal = contract::power_of_two_rational(calculus::minimum_exponent(format));
  while (true) {
    Rational to = normal;
    if (from >= normal) to = contract::power_of_two_rational(contract::binary_exponent(from) + 1);
    to = std::min(to, most);
    if (!holds_on(v, t, from, std::max(to, from), format)) return false;
    if (to >= most) return true;
    from = to;
  }
}

Interval tolerance_at(const Interval& exact, const Tolerance& t, Format format) {
  const Rational size = exact.magnitude().exact_high();
  return Interval(Rational(part(t.absolute) + part(t.relative) * size +
                           part(t.ulp) * contract::spacing_at(size, format)))
      .from_zero();
}

bool certainly_violates(const Rational& computed, const Interval& exact, const Tolerance& t, Format format) {
  const Interval error = abs(Interval(computed, exact.precision()) - exact);
  return mpfr_greater_p(error.low(), tolerance_at(exact, t, format).high()) != 0;
}

std::string bound_text(const Value& v) {
  if (!v.bounded) return "not bounded";
  if (v.absolute.is_zero()) return "0";
  std::string out = "at most " + upper_text(v.absolute);
  if (!v.relative.is_zero() && mpfr_cmp_ui(v.relative.high(), 1) < 0) {
    out += ", and " + upper_text(v.relative) + " |x|";
    if (!v.rest.is_zero()) out += " + " + upper_text(v.rest);
  }
  return out;
}

std::string tolerance_text(const Tolerance& t) {
  std::string out;
  const auto add = [&](const std::optional<Rational>& value, const std::string& unit) {
    if (value && *value != 0) out += (out.empty() ? "" : " + ") + contract::print_number(*value) + unit;
  };
  add(t.absolute, "");
  add(t.relative, " |x|");
  add(t.ulp, " ulp");
  return out.empty() ? "0" : out;
}

std::string budget_text(const Value& v, std::size_t most) {
  std::vector<std::pair<std::string, double>> all(v.shares.begin(), v.shares.end());
  double total = 0;
  for (const auto& [label, amount] : all) total += amount;
  if (total <= 0 || !std::isfinite(total)) return "";
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out = "budget: ";
  for (std::size_t i = 0; i < all.size() && i < most; ++i) {
    const long percent = std::lround(100 * all[i].second / total);
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", all[i].first,
                       percent > 0 ? std::to_string(percent) + " %" : std::string("below 1 %"));
  }
  return all.size() > most ? out + ", ..." : out;
}

}  // namespace hallmark::numerics
