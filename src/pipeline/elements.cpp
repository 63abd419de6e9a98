#include "pipeline/elements.h"

#include <algorithm>

#include "numerics/tensor_data.h"

namespace hallmark::pipeline {

namespace {

Integer ceiling(const Rational& value) {
  return -floor_div(Integer(-value.get_num()), value.get_den());
}

Integer element(const calculus::TensorData& data, std::int64_t index) {
  const std::uint64_t bits = numerics::element_bits(data, index);
  const Integer plain = from_u64(bits);
  const unsigned width = calculus::storage_bits(data.format);
  const bool negative = calculus::is_signed(data.format) && (bits >> (width - 1)) != 0;
  return negative ? Integer(plain - power_of_two(width)) : plain;
}

}  // namespace

plan::ElementRanges element_ranges(const calculus::Program& program, const contract::Contract& contract) {
  plan::ElementRanges out;
  for (const calculus::Declaration& input : program.inputs) {
    const auto box = contract.inputs.find(input.name);
    if (!calculus::is_integer(input.format) || box == contract.inputs.end()) continue;
    const Integer low = ceiling(box->second.low);
    const Integer high = floor_div(box->second.high.get_num(), box->second.high.get_den()) + 1;
    if (low < high) out[input.name] = {low, high};
  }
  for (const calculus::Constant& constant : program.constants) {
    if (!calculus::is_integer(constant.declaration.format)) continue;
    const std::int64_t count = constant.data->splat
                                   ? std::min<std::int64_t>(1, constant.data->element_count())
                                   : constant.data->element_count();
    if (count == 0) continue;
    Integer low = element(*constant.data, 0), high = low;
    for (std::int64_t i = 1; i < count; ++i) {
      const Integer value = element(*constant.data, i);
      low = std::min(low, value);
      high = std::max(high, value);
    }
    out[constant.declaration.name] = {low, Integer(high + 1)};
  }
  return out;
}

rules::WholeRanges whole_ranges(const calculus::Program& program, const contract::Contract& contract) {
  rules::WholeRanges out;
  for (const auto& [tensor, range] : element_ranges(program, contract))
    out[tensor] = {range.first, Integer(range.second - 1)};
  return out;
}

}  // namespace hallmark::pipeline
