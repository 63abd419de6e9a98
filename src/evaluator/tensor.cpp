#include "evaluator/tensor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "base/error.h"
#include "evaluator/float_format.h"
#include "evaluator/integer_operation.h"

namespace hallmark::evaluator {

static_assert(std::endian::native == std::endian::little, "tensors are little endian in memory");

using calculus::Format;
using calculus::TensorData;

std::int64_t checked_count(const std::vector<std::int64_t>& extents) {
  std::int64_t count = 1;
  bool fits = true, empty = false;
  for (std::int64_t extent : extents) {
    ensure(extent >= 0, "a tensor with a negative extent");
    empty = empty || extent == 0;
    if (extent != 0) fits = fits && !__builtin_mul_overflow(count, extent, &count);
  }
  if (empty) return 0;
  ensure(fits && count <= (std::int64_t{1} << 58), "a tensor with more elements than an address can reach");
  return count;
}

std::uint64_t read_bits(const std::byte* bytes, unsigned width_bits, std::int64_t at) {
  std::uint64_t value = 0;
  const std::size_t width = width_bits / 8;
  std::memcpy(&value, bytes + static_cast<std::size_t>(at) * width, width);
  return value;
}

void write_bits(std::byte* bytes, unsigned width_bits, std::int64_t at, std::uint64_t value) {
  const std::size_t width = width_bits / 8;
  std::memcpy(bytes + static_cast<std::size_t>(at) * width, &value, width);
}

Tensor::Tensor(Encoded data) : format_(data->format), extents_(data->extents), contents_(data) {
  const std::int64_t count = data->splat ? 1 : checked_count(extents_);
  ensure(static_cast<std::int64_t>(data->bytes.size()) == count * (storage_bits(format_) / 8),
         "a tensor's bytes do not fit its extents");
}

Tensor::Tensor(Format format, std::vector<std::int64_t> extents, std::vector<double> values)
    : format_(format), extents_(std::move(extents)) {
  ensure(is_float(format) && static_cast<std::int64_t>(values.size()) == checked_count(extents_),
         "a tensor's values do not fit its extents");
  contents_ = std::make_shared<const std::vector<double>>(std::move(values));
}

Tensor::Tensor(Format format, std::vector<std::int64_t> extents, std::vector<Rational> values)
    : format_(format), extents_(std::move(extents)) {
  ensure(is_float(format) && static_cast<std::int64_t>(values.size()) == checked_count(extents_),
         "a tensor's values do not fit its extents");
  contents_ = std::make_shared<const std::vector<Rational>>(std::move(values));
}

std::int64_t Tensor::element_count() const {
  return checked_count(extents_);
}

std::uint64_t Tensor::bits(std::int64_t at) const {
  if (const Encoded* data = encoded()) {
    const TensorData& tensor = **data;
    return read_bits(tensor.bytes.data(), storage_bits(format_), tensor.splat ? 0 : at);
  }
  if (const Rationals* values = rationals())
    return encode(format_, nearest(format_, (**values).at(static_cast<std::size_t>(at))));
  return encode(format_, round_to(format_, number(at), calculus::Rounding::nearest));
}

double Tensor::number(std::int64_t at) const {
  if (const Doubles* values = doubles()) return (**values).at(static_cast<std::size_t>(at));
  if (const Rationals* values = rationals())
    return nearest(Format::f64, (**values).at(static_cast<std::size_t>(at)));
  return decode(format_, bits(at));
}

Rational Tensor::exact(std::int64_t at) const {
  if (const Rationals* values = rationals()) return (**values).at(static_cast<std::size_t>(at));
  const double value = number(at);
  if (!std::isfinite(value))
    throw Refusal("E1003", "a NaN or an infinity has no exact value; evaluate in double instead");
  return exact_rational(value);
}

std::int64_t Tensor::integer(std::int64_t at) const {
  ensure(!is_float(format_), "an integer tensor was expected");
  const std::uint64_t raw = bits(at);
  return format_ == Format::boolean ? (raw != 0 ? 1 : 0) : wrap(format_, raw);
}

std::shared_ptr<const TensorData> Tensor::data() const {
  if (const Encoded* data = encoded()) return *data;
  auto result = std::make_shared<TensorData>();
  result->format = format_;
  result->extents = extents_;
  const std::int64_t count = element_count();
  const unsigned width = storage_bits(format_);
  result->bytes.resize(static_cast<std::size_t>(count) * (width / 8));
  for (std::int64_t i = 0; i < count; ++i) write_bits(result->bytes.data(), width, i, bits(i));
  return result;
}

}  // namespace hallmark::evaluator
