#include "numerics/tensor_data.h"

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "formulation/round_constant.h"

namespace hallmark::numerics {

using calculus::Format;
using calculus::TensorData;

std::uint64_t element_bits(const TensorData& data, std::int64_t index) {
  const std::size_t width = calculus::storage_bits(data.format) / 8;
  const std::size_t offset = data.splat ? 0 : static_cast<std::size_t>(index) * width;
  ensure(offset + width <= data.bytes.size(), "an element outside of its tensor's data");
  std::uint64_t bits = 0;
  for (std::size_t b = 0; b < width; ++b)
    bits |= static_cast<std::uint64_t>(std::to_integer<unsigned>(data.bytes[offset + b])) << (8 * b);
  return bits;
}

void set_element_bits(TensorData& data, std::int64_t index, std::uint64_t bits) {
  const std::size_t width = calculus::storage_bits(data.format) / 8;
  const std::size_t offset = static_cast<std::size_t>(index) * width;
  ensure(!data.splat && offset + width <= data.bytes.size(), "an element outside of its tensor's data");
  for (std::size_t b = 0; b < width; ++b) data.bytes[offset + b] = static_cast<std::byte>(bits >> (8 * b));
}

std::optional<Rational> element_value(const TensorData& data, std::int64_t index) {
  const std::uint64_t bits = element_bits(data, index);
  if (calculus::is_float(data.format)) return formulation::exact_value(bits, data.format);
  if (data.format == Format::boolean) return Rational(bits != 0 ? 1 : 0);
  const unsigned width = calculus::storage_bits(data.format);
  Integer v = from_u64(bits);
  if (calculus::is_signed(data.format) && (bits >> (width - 1) & 1) != 0) v -= power_of_two(width);
  return Rational(v);
}

TensorData zero_tensor(Format format, std::vector<std::int64_t> extents) {
  TensorData out;
  out.format = format;
  out.extents = std::move(extents);
  out.bytes.assign(static_cast<std::size_t>(out.element_count()) * calculus::storage_bits(format) / 8,
                   std::byte{0});
  return out;
}

namespace {

template <typename T>
MaybeInterval native_range(const TensorData& data, std::int64_t count) {
  T low{}, high{};
  for (std::int64_t i = 0; i < count; ++i) {
    T v;
    std::memcpy(&v, data.bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
    if (!std::isfinite(v)) return std::nullopt;
    if (i == 0 || v < low) low = v;
    if (i == 0 || v > high) high = v;
  }
  return Interval(exact_rational(static_cast<double>(low)), exact_rational(static_cast<double>(high)));
}

}  // namespace

MaybeInterval data_range(const TensorData& data) {
  const std::int64_t count =
      data.splat ? std::min<std::int64_t>(1, data.element_count()) : data.element_count();
  if (count == 0) return std::nullopt;
  if (data.format == Format::f32) return native_range<float>(data, count);
  if (data.format == Format::f64) return native_range<double>(data, count);
  std::optional<Rational> low, high;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto v = element_value(data, i);
    if (!v) return std::nullopt;
    if (!low || *v < *low) low = v;
    if (!high || *v > *high) high = v;
  }
  return Interval(*low, *high);
}

}  // namespace hallmark::numerics
