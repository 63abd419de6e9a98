#include "model/tensors.h"

#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/files.h"

namespace hallmark::model {

using calculus::Format;
using calculus::TensorData;
using onnx::TensorProto;

std::optional<Format> format_of_type(int type) {
  switch (type) {
    case TensorProto::FLOAT:
      return Format::f32;
    case TensorProto::DOUBLE:
      return Format::f64;
    case TensorProto::FLOAT16:
      return Format::f16;
    case TensorProto::BFLOAT16:
      return Format::bf16;
    case TensorProto::INT8:
      return Format::i8;
    case TensorProto::INT16:
      return Format::i16;
    case TensorProto::INT32:
      return Format::i32;
    case TensorProto::INT64:
      return Format::i64;
    case TensorProto::UINT8:
      return Format::u8;
    case TensorProto::UINT16:
      return Format::u16;
    case TensorProto::UINT32:
      return Format::u32;
    case TensorProto::UINT64:
      return Format::u64;
    case TensorProto::BOOL:
      return Format::boolean;
    default:
      return std::nullopt;
  }
}

int type_of_format(Format format) {
  for (int type = TensorProto::FLOAT; type <= TensorProto::BFLOAT16; ++type)
    if (format_of_type(type) == format) return type;
  throw InternalError("a format that ONNX does not have");
}

std::string type_name(int type) {
  if (!onnx::TensorProto_DataType_IsValid(type)) return "of the unknown type " + std::to_string(type);
  return onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(type));
}

namespace {

[[noreturn]] void broken(const std::string& what, const std::string& why) {
  throw UserError("E6004", what + ": " + why, {.node = what});
}

// Elements of a repeated field, each narrowed to the format's own width.
template <class Stored, class Field>
void narrow(const Field& field, std::vector<std::byte>& bytes, const std::string& what) {
  using Value = typename Field::value_type;
  bytes.resize(static_cast<std::size_t>(field.size()) * sizeof(Stored));
  for (int i = 0; i < field.size(); ++i) {
    const Value value = field.Get(i);
    const Stored stored = static_cast<Stored>(value);
    if constexpr (std::is_integral_v<Stored>)
      if (static_cast<Value>(stored) != value) broken(what, "an element does not fit its type");
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(Stored), &stored, sizeof(Stored));
  }
}

void typed_bytes(const TensorProto& tensor, Format format, std::vector<std::byte>& bytes,
                 const std::string& what) {
  switch (format) {
    case Format::f32:
      return narrow<float>(tensor.float_data(), bytes, what);
    case Format::f64:
      return narrow<double>(tensor.double_data(), bytes, what);
    case Format::i64:
      return narrow<std::int64_t>(tensor.int64_data(), bytes, what);
    case Format::u64:
      return narrow<std::uint64_t>(tensor.uint64_data(), bytes, what);
    case Format::u32:
      return narrow<std::uint32_t>(tensor.uint64_data(), bytes, what);
    case Format::i8:
      return narrow<std::int8_t>(tensor.int32_data(), bytes, what);
    case Format::i16:
      return narrow<std::int16_t>(tensor.int32_data(), bytes, what);
    case Format::i32:
      return narrow<std::int32_t>(tensor.int32_data(), bytes, what);
    case Format::u8:
    case Format::boolean:
      return narrow<std::uint8_t>(tensor.int32_data(), bytes, what);
    default:  // u16, f16, bf16: as bit patterns
      return narrow<std::uint16_t>(tensor.int32_data(), bytes, what);
  }
}

}  // namespace

std::shared_ptr<const TensorData> tensor_data(const TensorProto& tensor, const std::string& what) {
  if (tensor.data_location() == TensorProto::EXTERNAL || tensor.external_data_size() > 0)
    throw Refusal("E6102", what + ": its data lies in another file; only self-contained models are read",
                  {.node = what});
  const auto format = format_of_type(tensor.data_type());
  if (!format)
    throw Refusal("E6103",
                  what + ": elements of type " + type_name(tensor.data_type()) + " have no meaning here",
                  {.node = what});
  if (tensor.has_segment()) broken(what, "a segment of a tensor");
  auto data = std::make_shared<TensorData>();
  data->format = *format;
  std::int64_t count = 1;
  bool fits = true, empty = false;
  for (const std::int64_t extent : tensor.dims()) {
    if (extent < 0) broken(what, "a negative extent");
    empty = empty || extent == 0;
    if (extent != 0) fits = fits && !__builtin_mul_overflow(count, extent, &count);
    data->extents.push_back(extent);
  }
  if (empty) count = 0;
  const auto width = static_cast<std::int64_t>(storage_bits(*format) / 8);
  if (!fits || count > std::numeric_limits<std::int64_t>::max() / width) broken(what, "extents too large");
  if (tensor.has_raw_data()) {
    const std::string& raw = tensor.raw_data();
    if (static_cast<std::int64_t>(raw.size()) != count * width)
      broken(what, std::to_string(raw.size()) + " bytes of data where its extents ask for " +
                       std::to_string(count * width));
    data->bytes.resize(raw.size());
    if (!raw.empty()) std::memcpy(data->bytes.data(), raw.data(), raw.size());
  } else {
    typed_bytes(tensor, *format, data->bytes, what);
    if (static_cast<std::int64_t>(data->bytes.size()) != count * width)
      broken(what, std::to_string(static_cast<std::int64_t>(data->bytes.size()) / width) +
                       " elements where its extents ask for " + std::to_string(count));
  }
  if (*format == Format::boolean)
    for (std::byte& b : data->bytes)
      if (b != std::byte{0} && b != std::byte{1}) broken(what, "a bool that is neither 0 nor 1");
  return data;
}

NamedTensor read_tensor_file(const std::string& path) {
  const std::string bytes = read_file(path);
  TensorProto tensor;
  if (!tensor.ParseFromString(bytes)) broken(path, "not a tensor in ONNX's form");
  return {tensor.name(), tensor_data(tensor, path)};
}

}  // namespace hallmark::model
