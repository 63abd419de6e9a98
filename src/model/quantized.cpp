// QLinearMatMul and QLinearConv: the integer product, scaled, and quantised again.
#include "model/expansion_parts.h"

namespace hallmark::model {
namespace {

bool is_one_number(const NodeWriter& writer, int i) {
  const calculus::Term count = operators::product(writer.declaration(i).extents);
  return count == calculus::integer(1);
}

// A scale or zero point per row (of operand a) or column (of operand b) as the factor of a product of rank 2
// or more: the product's own broadcasting lines up its last axis.
std::string along(NodeWriter& writer, int i, bool rows) {
  if (is_one_number(writer, i)) return writer.reshape(writer.input(i), {});
  writer.require_input(i, 1);
  return rows ? writer.reshape(writer.input(i), {-1, 1}) : writer.input(i);
}

void quantize(NodeWriter& writer, const std::string& real, int scale, int zero_point) {
  if (!is_one_number(writer, scale) || !is_one_number(writer, zero_point))
    writer.refuse("a scale of the result per row");
  writer.add("QuantizeLinear", {real, writer.input(scale), writer.input(zero_point)}, writer.output(0));
}

}  // namespace

// a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point
Function expand_quantized_matmul(NodeWriter& writer) {
  const std::string product =
      writer.add("MatMulInteger", {writer.input(0), writer.input(3), writer.input(2), writer.input(5)});
  const std::string scales = writer.add("Mul", {along(writer, 1, true), along(writer, 4, false)});
  const std::string scaled = writer.add("Mul", {writer.cast(product, calculus::Format::f32), scales});
  quantize(writer, scaled, 6, 7);
  return writer.take();
}

// x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, bias (of scale x_scale *
// w_scale)
Function expand_quantized_convolution(NodeWriter& writer) {
  const std::size_t rank = writer.declaration(0).extents.size();
  std::string sum =
      writer.add("ConvInteger", {writer.input(0), writer.input(3), writer.input(2), writer.input(5)});
  for (const char* name : {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"})
    writer.with_own(name);
  std::vector<std::int64_t> per_channel{-1};
  for (std::size_t d = 2; d < rank; ++d) per_channel.push_back(1);
  if (!writer.input(8).empty()) {
    writer.require_input(8, 1);
    sum = writer.add("Add", {sum, writer.reshape(writer.input(8), per_channel)});
  }
  if (!is_one_number(writer, 1)) writer.invalid("one scale of the input is expected");
  const bool one = is_one_number(writer, 4);
  if (!one) writer.require_input(4, 1);
  const std::string weights =
      writer.reshape(writer.input(4), one ? std::vector<std::int64_t>{} : per_channel);
  const std::string scales = writer.add("Mul", {writer.reshape(writer.input(1), {}), weights});
  const std::string scaled = writer.add("Mul", {writer.cast(sum, calculus::Format::f32), scales});
  quantize(writer, scaled, 6, 7);
  return writer.take();
}

}  // namespace hallmark::model
