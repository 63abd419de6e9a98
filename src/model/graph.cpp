#include "model/graph.h"

#include "base/error.h"
#include "model/tensors.h"
#include "operators/extents.h"

namespace hallmark::model {

using namespace calculus;
using onnx::AttributeProto;

namespace {

operators::Attribute convert_attribute(const AttributeProto& a, const std::string& node) {
  if (!a.ref_attr_name().empty())
    throw Refusal("E6104", node + ": the attribute '" + a.name() + "' refers to a function's attribute",
                  {.node = node});
  switch (a.type()) {
    case AttributeProto::FLOAT:
      return a.f();
    case AttributeProto::INT:
      return a.i();
    case AttributeProto::STRING:
      return a.s();
    case AttributeProto::TENSOR:
      return tensor_data(a.t(), node + ", attribute '" + a.name() + "'");
    case AttributeProto::FLOATS:
      return std::vector<float>(a.floats().begin(), a.floats().end());
    case AttributeProto::INTS:
      return std::vector<std::int64_t>(a.ints().begin(), a.ints().end());
    case AttributeProto::STRINGS:
      return std::vector<std::string>(a.strings().begin(), a.strings().end());
    default:
      throw Refusal("E6104", node + ": the attribute '" + a.name() + "' is of a type without a meaning here",
                    {.node = node});
  }
}

}  // namespace

operators::Node convert_node(const onnx::NodeProto& node) {
  operators::Node out;
  out.name = node.name();
  out.op_type = node.op_type();
  out.domain = node.domain() == "ai.onnx" ? "" : node.domain();
  out.inputs.assign(node.input().begin(), node.input().end());
  out.outputs.assign(node.output().begin(), node.output().end());
  const std::string described = describe(out);
  for (const AttributeProto& attribute : node.attribute())
    if (!out.attributes.emplace(attribute.name(), convert_attribute(attribute, described)).second)
      throw UserError("E6003", described + ": the attribute '" + attribute.name() + "' is given twice",
                      {.node = described});
  return out;
}

namespace {

std::string symbol_name(const onnx::ValueInfoProto& value, int axis) {
  const auto& dimension = value.type().tensor_type().shape().dim(axis);
  return dimension.dim_param().empty() ? value.name() + "." + std::to_string(axis) : dimension.dim_param();
}

}  // namespace

void Dimensions::bind(const onnx::ValueInfoProto& value) {
  if (const auto fixed = options_.input_values.find(value.name()); fixed != options_.input_values.end())
    options_.input_extents[value.name()] = fixed->second->extents;
  const auto given = options_.input_extents.find(value.name());
  if (given == options_.input_extents.end() || value.type().value_case() != onnx::TypeProto::kTensorType ||
      !value.type().tensor_type().has_shape())
    return;
  const auto& shape = value.type().tensor_type().shape();
  const std::vector<std::int64_t>& extents = given->second;
  bool fits = static_cast<std::size_t>(shape.dim_size()) == extents.size();
  for (int d = 0; fits && d < shape.dim_size(); ++d) {
    const Integer extent = from_i64(extents[static_cast<std::size_t>(d)]);
    if (shape.dim(d).has_dim_value()) {
      fits = from_i64(shape.dim(d).dim_value()) == extent;
      continue;
    }
    const std::string name = symbol_name(value, d);
    const auto known = options_.dimensions.find(name);
    fits = known == options_.dimensions.end() ||
           (known->second.low <= extent && (!known->second.high || extent <= *known->second.high));
    options_.dimensions[name] = {name, extent, extent};
  }
  if (!fits)
    throw UserError("E6005", "the extents given for the input '" + value.name() + "' do not fit the model",
                    {.node = value.name()});
}

Term Dimensions::symbol(const std::string& name) {
  SymbolRange range{name, 1, std::nullopt};
  if (const auto found = options_.dimensions.find(name); found != options_.dimensions.end()) {
    range = found->second;
    range.name = name;
    if (range.low < 0 || (range.high && *range.high < range.low))
      throw UserError("E6005", "the range given for the dimension " + name + " is empty or negative");
    if (range.high && *range.high == range.low) {
      numbers_.insert(name);
      return integer(range.low);
    }
  }
  if (seen_.insert(name).second) symbols_.push_back(range);
  return calculus::symbol(name);
}

Declaration Dimensions::declare(const onnx::ValueInfoProto& value) {
  const std::string& name = value.name();
  if (value.type().value_case() != onnx::TypeProto::kTensorType)
    throw Refusal("E6103", "the input '" + name + "' is no tensor", {.node = name});
  const auto& tensor = value.type().tensor_type();
  const auto format = format_of_type(tensor.elem_type());
  if (!format)
    throw Refusal("E6103",
                  "the input '" + name + "' has elements of type " + type_name(tensor.elem_type()) +
                      ", which have no meaning here",
                  {.node = name});
  if (!tensor.has_shape())
    throw Refusal("E6103", "the input '" + name + "' has no known rank", {.node = name});
  constexpr int maximum_rank = 32;
  if (tensor.shape().dim_size() > maximum_rank)
    throw Refusal("E6105", "the input '" + name + "' has a rank above 32", {.node = name});
  Declaration out;
  out.name = name;
  out.format = *format;
  for (int d = 0; d < tensor.shape().dim_size(); ++d) {
    const auto& dimension = tensor.shape().dim(d);
    if (dimension.has_dim_value()) {
      if (dimension.dim_value() < 0)
        throw UserError("E6005", "the input '" + name + "' has a negative extent", {.node = name});
      out.extents.push_back(integer(from_i64(dimension.dim_value())));
    } else {
      const std::string called = symbol_name(value, d);
      (dimension.dim_param().empty() ? made_ : given_).insert(called);
      if (given_.count(called) != 0 && made_.count(called) != 0)
        throw UserError("E6005", "a dimension without a name and another one are both called '" + called + "'",
                        {.node = name});
      out.extents.push_back(symbol(called));
    }
  }
  return out;
}

void check_declared(const onnx::ValueInfoProto& value, const Declaration& declaration,
                    const std::vector<SymbolRange>& symbols) {
  const auto contradiction = [&](const std::string& declared, const std::string& found) {
    throw UserError("E6005",
                    "'" + value.name() + "' is declared as " + declared + " and its operator gives " + found,
                    {.node = value.name()});
  };
  if (!value.has_type()) return;
  if (value.type().value_case() != onnx::TypeProto::kTensorType)
    contradiction("something that is no tensor", std::string(name(declaration.format)));
  const auto& tensor = value.type().tensor_type();
  if (tensor.elem_type() != onnx::TensorProto::UNDEFINED &&
      format_of_type(tensor.elem_type()) != declaration.format)
    contradiction(type_name(tensor.elem_type()), std::string(name(declaration.format)));
  if (!tensor.has_shape()) return;
  if (static_cast<std::size_t>(tensor.shape().dim_size()) != declaration.extents.size())
    contradiction("of rank " + std::to_string(tensor.shape().dim_size()),
                  "extents " + operators::text(declaration.extents));
  operators::SymbolRanges ranges;
  for (const SymbolRange& s : symbols) ranges.emplace(s.name, s);
  for (int d = 0; d < tensor.shape().dim_size(); ++d) {
    if (!tensor.shape().dim(d).has_dim_value()) continue;
    const Term declared = integer(from_i64(tensor.shape().dim(d).dim_value()));
    const Term found = declaration.extents[static_cast<std::size_t>(d)];
    if (operators::is_equal(declared, found, ranges) == operators::Decision::no)
      contradiction("of extent " + operators::text(declared) + " on axis " + std::to_string(d),
                    "extents " + operators::text(declaration.extents));
  }
}

}  // namespace hallmark::model
