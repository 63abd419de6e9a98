#include "numerics/accuracy.h"

#include <toml++/toml.h>

#include <algorithm>

#include "base/error.h"
#include "contract/format_values.h"
#include "contract/number.h"
#include "numerics/accuracy_data.h"

namespace hallmark::numerics {

using calculus::Format;
using calculus::Op;

Interval Accuracy::relative() const {
  const long p = static_cast<long>(calculus::significand_bits(format));
  return Interval(Rational(ulps * contract::power_of_two_rational(1 - p))).from_zero();
}

Interval Accuracy::below_one() const {
  return scale2(relative(), -1).from_zero();
}

Interval Accuracy::rest() const {
  return Interval::power_of_two(calculus::minimum_exponent(format)).from_zero();
}

const std::vector<Accuracy>& accuracy_table() {
  static const std::vector<Accuracy>* const table = [] {
    auto* rows = new std::vector<Accuracy>;
    const std::string text = functions_toml();
    const toml::table root = toml::parse(text, std::string_view("corpus/accuracy/functions.toml"));
    for (const auto& [key, node] : root) {
      const toml::table* entry = node.as_table();
      if (entry == nullptr) continue;
      Accuracy row;
      row.function = std::string(key.str());
      // exp_f32: the operation and the format.
      const std::size_t bar = row.function.rfind('_');
      const auto format = calculus::format_of(row.function.substr(bar + 1));
      for (int op = 0; op < static_cast<int>(Op::custom); ++op)
        if (calculus::name(static_cast<Op>(op)) == row.function.substr(0, bar)) row.op = static_cast<Op>(op);
      const auto ulp = (*entry)["ulp"].value<std::int64_t>();
      ensure(bar != std::string::npos && format && row.op != Op::none && ulp && *ulp >= 1,
             "a row of functions.toml: " + row.function);
      row.format = *format;
      row.ulps = Rational(from_i64(*ulp));
      row.nonnegative = (*entry)["nonnegative"].value_or(false);
      row.exact_at_zero = (*entry)["exact_at_zero"].value_or(false);
      row.assumption =
          "accuracy:" + row.function + ":" + contract::print_number(row.ulps) + "ulp:" + table_digest(text);
      rows->push_back(row);
    }
    return rows;
  }();
  return *table;
}

const Accuracy* find_accuracy(std::string_view function) {
  const auto& table = accuracy_table();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Accuracy& row) { return row.function == function; });
  return found != table.end() ? &*found : nullptr;
}

bool is_composition(std::string_view function) {
  for (const std::string_view stem : {"square", "cube", "square_root", "power_3_4", "rsqrt", "sign"})
    for (const Format format : {Format::f32, Format::f64})
      if (function == std::string(stem) + "_" + std::string(calculus::name(format))) return true;
  return false;
}

}  // namespace hallmark::numerics
