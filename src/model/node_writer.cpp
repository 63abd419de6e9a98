#include "model/node_writer.h"

#include "base/error.h"
#include "model/tensors.h"

namespace hallmark::model {

NodeWriter::NodeWriter(const onnx::NodeProto& node, int opset, operators::Scope& scope)
    : node_(node), scope_(scope) {
  for (const std::string& output : node.output())
    if (base_.empty()) base_ = output;
  name_ = (node.name().empty() ? base_ : node.name()) + " (" + node.op_type() + ")";
  out_.opset = opset;
}

void NodeWriter::invalid(const std::string& what) const {
  throw UserError("E6201", name_ + ": " + what, {.node = name_});
}

void NodeWriter::refuse(const std::string& what, const char* code) const {
  throw Refusal(code, name_ + ": " + what, {.node = name_});
}

const calculus::Declaration& NodeWriter::declaration(int i) const {
  const operators::Known* known = scope_.find(input(i));
  if (known == nullptr) invalid("the input '" + input(i) + "' is not defined");
  return known->declaration;
}

const operators::Extents& NodeWriter::require_input(int i, std::size_t rank) const {
  if (input(i).empty()) invalid("input " + std::to_string(i) + " is missing");
  const operators::Extents& extents = declaration(i).extents;
  if (extents.size() != rank)
    invalid("the input '" + input(i) + "' should have " + std::to_string(rank) + " axes");
  return extents;
}

std::int64_t NodeWriter::concrete(const calculus::Term& extent, const std::string& what) const {
  const Integer* value = calculus::as_integer(extent);
  const auto small = value != nullptr ? to_i64(*value) : std::nullopt;
  if (!small) refuse(what + " must be a number", "E6304");
  return *small;
}

const onnx::AttributeProto* NodeWriter::attribute(const std::string& name) const {
  for (const onnx::AttributeProto& attribute : node_.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

std::int64_t NodeWriter::integer(const std::string& name, std::int64_t otherwise) const {
  const onnx::AttributeProto* found = attribute(name);
  if (found == nullptr) return otherwise;
  if (found->type() != onnx::AttributeProto::INT)
    invalid("the attribute '" + name + "' should be an integer");
  return found->i();
}

std::string NodeWriter::string(const std::string& name, const std::string& otherwise) const {
  const onnx::AttributeProto* found = attribute(name);
  if (found == nullptr) return otherwise;
  if (found->type() != onnx::AttributeProto::STRING)
    invalid("the attribute '" + name + "' should be a string");
  return found->s();
}

std::string NodeWriter::add(const std::string& op_type, const std::vector<std::string>& inputs,
                            const std::string& output) {
  onnx::NodeProto node;
  node.set_op_type(op_type);
  node.set_name(name_);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output.empty() ? scope_.fresh(base_, op_type) : output);
  out_.nodes.push_back(std::move(node));
  return out_.nodes.back().output(0);
}

void NodeWriter::with(const std::string& name, std::int64_t value) {
  onnx::AttributeProto& attribute = *out_.nodes.back().add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

void NodeWriter::with(const std::string& name, const std::vector<std::int64_t>& values) {
  onnx::AttributeProto& attribute = *out_.nodes.back().add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

void NodeWriter::with_own(const std::string& name) {
  if (const onnx::AttributeProto* own = attribute(name)) *out_.nodes.back().add_attribute() = *own;
}

std::string NodeWriter::constant_of(std::vector<std::int64_t> values, bool scalar) {
  const std::string name = add("Constant", {});
  onnx::AttributeProto& attribute = *out_.nodes.back().add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  onnx::TensorProto& tensor = *attribute.mutable_t();
  tensor.set_data_type(onnx::TensorProto::INT64);
  if (!scalar) tensor.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) tensor.add_int64_data(value);
  return name;
}

std::string NodeWriter::constant(std::int64_t value) {
  return constant_of({value}, true);
}

std::string NodeWriter::constant(const std::vector<std::int64_t>& values) {
  return constant_of(values, false);
}

std::string NodeWriter::zero(calculus::Format format) {
  const std::string name = add("Constant", {});
  onnx::AttributeProto& attribute = *out_.nodes.back().add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  attribute.mutable_t()->set_data_type(type_of_format(format));
  attribute.mutable_t()->set_raw_data(std::string(calculus::storage_bits(format) / 8, '\0'));
  return name;
}

std::string NodeWriter::reshape(const std::string& value, const std::vector<std::int64_t>& to,
                                const std::string& output) {
  return add("Reshape", {value, constant(to)}, output);
}

std::string NodeWriter::transpose(const std::string& value, const std::vector<std::int64_t>& permutation,
                                  const std::string& output) {
  const std::string name = add("Transpose", {value}, output);
  with("perm", permutation);
  return name;
}

std::string NodeWriter::concat(const std::vector<std::string>& values, std::int64_t axis,
                               const std::string& output) {
  const std::string name = add("Concat", values, output);
  with("axis", axis);
  return name;
}

std::string NodeWriter::cast(const std::string& value, calculus::Format format) {
  const std::string name = add("Cast", {value});
  with("to", type_of_format(format));
  return name;
}

Function NodeWriter::take() {
  return std::move(out_);
}

}  // namespace hallmark::model
