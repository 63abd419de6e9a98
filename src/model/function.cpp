#include "model/function.h"

#include <onnx/defs/schema.h>

#include <map>

#include "base/error.h"
#include "model/tensors.h"
#include "operators/node.h"

namespace hallmark::model {
namespace {

// The type of a tensor that is known already, as ONNX's function builders ask for it.
onnx::TypeProto type_of(const calculus::Declaration& declaration) {
  onnx::TypeProto type;
  auto& tensor = *type.mutable_tensor_type();
  tensor.set_elem_type(type_of_format(declaration.format));
  auto& shape = *tensor.mutable_shape();
  for (calculus::Term extent : declaration.extents) {
    auto& dimension = *shape.add_dim();
    const Integer* value = calculus::as_integer(extent);
    if (const auto small = value != nullptr ? to_i64(*value) : std::nullopt) dimension.set_dim_value(*small);
  }
  return type;
}

std::optional<onnx::FunctionProto> body_of(const onnx::NodeProto& node, const onnx::OpSchema& schema,
                                           const operators::Scope& scope) {
  onnx::FunctionProto body;
  if (schema.HasFunction()) {
    body = *schema.GetFunction();
    return body;
  }
  if (!schema.HasContextDependentFunction()) return std::nullopt;
  std::vector<onnx::TypeProto> types;
  for (const std::string& input : node.input()) {
    const operators::Known* known = input.empty() ? nullptr : scope.find(input);
    types.push_back(known != nullptr ? type_of(known->declaration) : onnx::TypeProto());
  }
  const onnx::FunctionBodyBuildContextImpl context(node, types);
  try {
    if (!schema.BuildContextDependentFunction(context, body)) return std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return body;
}

// Attributes that refer to the caller's: the caller's value, the schema's default, or none.
void resolve_attributes(onnx::NodeProto& inner, const onnx::NodeProto& caller, const onnx::OpSchema& schema) {
  std::vector<onnx::AttributeProto> kept;
  for (const onnx::AttributeProto& attribute : inner.attribute()) {
    if (attribute.ref_attr_name().empty()) {
      kept.push_back(attribute);
      continue;
    }
    const onnx::AttributeProto* value = nullptr;
    for (const onnx::AttributeProto& given : caller.attribute())
      if (given.name() == attribute.ref_attr_name()) value = &given;
    const auto declared = schema.attributes().find(attribute.ref_attr_name());
    if (value == nullptr && declared != schema.attributes().end() &&
        declared->second.default_value.has_name())
      value = &declared->second.default_value;
    if (value == nullptr) continue;
    kept.push_back(*value);
    kept.back().set_name(attribute.name());
  }
  inner.clear_attribute();
  for (onnx::AttributeProto& attribute : kept) *inner.add_attribute() = std::move(attribute);
}

}  // namespace

std::optional<Function> function_of(const onnx::NodeProto& node, int opset, operators::Scope& scope) {
  const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(node.op_type(), opset, "");
  if (schema == nullptr) return std::nullopt;
  auto body = body_of(node, *schema, scope);
  if (!body) return std::nullopt;

  std::map<std::string, std::string> names{{"", ""}};
  std::string base;
  for (const std::string& output : node.output())
    if (base.empty()) base = output;
  for (int i = 0; i < body->input_size(); ++i)
    names[body->input(i)] = i < node.input_size() ? node.input(i) : "";
  for (int i = 0; i < body->output_size(); ++i)
    if (i < node.output_size() && !node.output(i).empty()) names[body->output(i)] = node.output(i);
  const auto renamed = [&](const std::string& name) {
    auto found = names.find(name);
    if (found == names.end()) found = names.emplace(name, scope.fresh(base, name)).first;
    return found->second;
  };
  const std::string caller = node.name().empty() ? base : node.name();
  Function out;
  out.opset = opset;
  for (const auto& import : body->opset_import())
    if (import.domain().empty()) out.opset = static_cast<int>(import.version());
  if (out.opset > 17 || out.opset < 6)
    throw Refusal(
        "E6104",
        caller + " (" + node.op_type() + "): its function body is of opset " + std::to_string(out.opset),
        {.node = caller});
  for (onnx::NodeProto inner : body->node()) {
    resolve_attributes(inner, node, *schema);
    for (std::string& input : *inner.mutable_input()) input = renamed(input);
    for (std::string& output : *inner.mutable_output()) output = renamed(output);
    inner.set_name(caller + " (" + node.op_type() + ")");
    out.nodes.push_back(std::move(inner));
  }
  return out;
}

}  // namespace hallmark::model
