// Elements of concrete tensors as exact numbers.
#pragma once
#include <optional>

#include "calculus/program.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

// The encoding of an element, zero-extended. The index is that of the element in row-major order.
std::uint64_t element_bits(const calculus::TensorData& data, std::int64_t index);
void set_element_bits(calculus::TensorData& data, std::int64_t index, std::uint64_t bits);
// Nothing for NaNs and infinities. Booleans are 0 and 1.
std::optional<Rational> element_value(const calculus::TensorData& data, std::int64_t index);
// A tensor of the format with all bytes zero.
calculus::TensorData zero_tensor(calculus::Format format, std::vector<std::int64_t> extents);
// The hull of all elements; nothing when one is a NaN or an infinity, or there is no element.
MaybeInterval data_range(const calculus::TensorData& data);

}  // namespace hallmark::numerics
