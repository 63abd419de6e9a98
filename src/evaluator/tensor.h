// Tensor values. What a program's float tensor holds depends on how it is read: encodings of its format
// (inputs, constants, every tensor of a formulation), doubles or rationals (real values of an exact program).
#pragma once
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "base/integer.h"
#include "calculus/program.h"

namespace hallmark::evaluator {

class Tensor {
 public:
  using Encoded = std::shared_ptr<const calculus::TensorData>;
  using Doubles = std::shared_ptr<const std::vector<double>>;
  using Rationals = std::shared_ptr<const std::vector<Rational>>;

  Tensor() = default;
  // Throws InternalError when the number of bytes does not fit the extents.
  explicit Tensor(Encoded data);
  // A float tensor of real values, row-major. Throws InternalError when the count does not fit the extents.
  Tensor(calculus::Format format, std::vector<std::int64_t> extents, std::vector<double> values);
  Tensor(calculus::Format format, std::vector<std::int64_t> extents, std::vector<Rational> values);

  calculus::Format format() const { return format_; }
  const std::vector<std::int64_t>& extents() const { return extents_; }
  std::int64_t element_count() const;
  const Encoded* encoded() const { return std::get_if<Encoded>(&contents_); }
  const Doubles* doubles() const { return std::get_if<Doubles>(&contents_); }
  const Rationals* rationals() const { return std::get_if<Rationals>(&contents_); }

  // Element `at` (row-major) of a float tensor. number: rationals are rounded to the nearest double.
  // exact: throws Refusal E1003 for NaN and infinities. bits: real values are rounded to the format.
  double number(std::int64_t at) const;
  Rational exact(std::int64_t at) const;
  std::uint64_t bits(std::int64_t at) const;
  // Element of an integer or boolean tensor: sign- or zero-extended to 64 bits.
  std::int64_t integer(std::int64_t at) const;

  // The tensor in its format's encoding; real values are rounded to nearest.
  std::shared_ptr<const calculus::TensorData> data() const;

 private:
  calculus::Format format_ = calculus::Format::f32;
  std::vector<std::int64_t> extents_;
  std::variant<std::monostate, Encoded, Doubles, Rationals> contents_;
};

// The product of the extents. Throws InternalError when it or a tensor of 8-byte elements would not fit 63
// bits or an extent is negative.
std::int64_t checked_count(const std::vector<std::int64_t>& extents);
// Element of a little-endian buffer, zero-extended.
std::uint64_t read_bits(const std::byte* bytes, unsigned width_bits, std::int64_t at);
void write_bits(std::byte* bytes, unsigned width_bits, std::int64_t at, std::uint64_t value);

}  // namespace hallmark::evaluator
