// Cast and CastLike. A float that becomes a narrower float is rounded: an authored Cast is an exact step
// function unless the contract says otherwise (soundness B3).
#include "operators/families.h"
#include "operators/terms.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

// ONNX's numbers for element types (TensorProto.DataType).
std::optional<Format> format_of_number(std::int64_t type) {
  switch (type) {
    case 1:
      return Format::f32;
    case 2:
      return Format::u8;
    case 3:
      return Format::i8;
    case 4:
      return Format::u16;
    case 5:
      return Format::i16;
    case 6:
      return Format::i32;
    case 7:
      return Format::i64;
    case 9:
      return Format::boolean;
    case 10:
      return Format::f16;
    case 11:
      return Format::f64;
    case 12:
      return Format::u32;
    case 13:
      return Format::u64;
    case 16:
      return Format::bf16;
    default:
      return std::nullopt;
  }
}

// Whether every value of the format `from` is one of `to`.
bool contains(Format to, Format from) {
  if (!is_float(from) || !is_float(to)) return from == to;
  return significand_bits(from) <= significand_bits(to) && maximum_exponent(from) <= maximum_exponent(to) &&
         minimum_exponent(from) - static_cast<int>(significand_bits(from)) >=
             minimum_exponent(to) - static_cast<int>(significand_bits(to));
}

void define_cast(NodeContext& context, Format to) {
  const Format from = context.format(0);
  if (to == Format::bf16 && !contains(to, from) && from != Format::boolean)
    context.refuse("ONNX left open before opset 19 how a number is rounded to bfloat16", "E6303");
  const Extents& extents = context.extents(0);
  const Term x = context.element(0, axes(extents.size()));
  context.define(0, to, extents, contains(to, from) ? x : cast(x, exact_sort(to), to));
}

void cast_operator(NodeContext& context) {
  const auto to = format_of_number(context.integer("to"));
  if (!to) context.refuse("a cast to a type without a meaning here", "E6303");
  define_cast(context, *to);
}

void cast_like(NodeContext& context) {
  define_cast(context, context.format(1));
}

}  // namespace

std::optional<Format> element_type(std::int64_t onnx_number) {
  return format_of_number(onnx_number);
}

void add_casts(Table& table) {
  table.push_back({"Cast", "", 6, 17, cast_operator});
  table.push_back({"CastLike", "", 15, 17, cast_like});
}

}  // namespace hallmark::operators
