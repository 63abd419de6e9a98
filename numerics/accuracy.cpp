#include "numerics/accuracy.h"

#include <algorithm>

#include "contract/format_values.h"
#include "contract/number.h"

namespace hallmark::numerics {

using calculus::Format;
using calculus::Op;

Interval Accuracy::relative() const {
  const long p = static_cast<long>(calculus::significand_bits(format));
  return Interval(Rational(ulps * contract::power_of_two_rational(1 - p))).from_zero();
}

Interval Accuracy::rest() const {
  return Interval::power_of_two(calculus::minimum_exponent(format)).from_zero();
}

const std::vector<Accuracy>& accuracy_table() {
  static const std::vector<Accuracy>* const table = [] {
    auto* rows = new std::vector<Accuracy>;
    // Two units in the last place is what the spine asks of every f32 function (issue "Numerics admission").
    for (const Format format : {Format::f32, Format::f64})
      for (const Op op : {Op::exp, Op::log, Op::sin, Op::cos, Op::tan, Op::tanh, Op::erf, Op::asin, Op::acos,
                          Op::atan, Op::sinh, Op::cosh, Op::asinh, Op::acosh, Op::atanh, Op::pow}) {
        Accuracy row;
        row.function = std::string(calculus::name(op)) + "_" + std::string(calculus::name(format));
        row.op = op;
        row.format = format;
        row.ulps = 2;
        row.nonnegative = op == Op::exp || op == Op::cosh;
        row.assumption = "accuracy:" + row.function + ":" + contract::print_number(row.ulps) + "ulp";
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
