#include "model/types.h"

#include <onnx/defs/schema.h>

#include <map>

#include "base/error.h"

namespace hallmark::model {
namespace {

using calculus::Format;

std::string type_string(Format format) {
  switch (format) {
    case Format::f32:
      return "tensor(float)";
    case Format::f64:
      return "tensor(double)";
    case Format::f16:
      return "tensor(float16)";
    case Format::bf16:
      return "tensor(bfloat16)";
    case Format::boolean:
      return "tensor(bool)";
    default: {  // i32 is int32, u8 is uint8
      const std::string name(calculus::name(format));
      return "tensor(" + std::string(name[0] == 'u' ? "uint" : "int") + name.substr(1) + ")";
    }
  }
}

}  // namespace

void check_types(const onnx::NodeProto& node, int opset, const operators::Scope& scope) {
  const onnx::OpSchema* schema = onnx::OpSchemaRegistry::Schema(node.op_type(), opset, "");
  if (schema == nullptr || schema->inputs().empty()) return;
  const auto& formal = schema->inputs();
  const auto wrong = [&](const std::string& what) {
    std::string name = node.name();
    for (const std::string& output : node.output())
      if (name.empty()) name = output;
    name += " (" + node.op_type() + ")";
    throw UserError("E6008", name + ": " + what, {.node = name});
  };
  std::map<std::string, std::pair<Format, std::string>> bound;  // by type variable
  for (int i = 0; i < node.input_size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool repeats = at >= formal.size() || at + 1 == formal.size();
    const auto& parameter = formal[std::min(at, formal.size() - 1)];
    const bool variadic = parameter.GetOption() == onnx::OpSchema::Variadic;
    if (at >= formal.size() && !variadic) wrong("more inputs than its schema has");
    const operators::Known* known = node.input(i).empty() ? nullptr : scope.find(node.input(i));
    if (known == nullptr) continue;
    const Format format = known->declaration.format;
    const std::string type = type_string(format);
    bool allowed = false;
    for (const auto& candidate : parameter.GetTypes()) allowed = allowed || *candidate == type;
    if (!allowed)
      wrong("the input '" + node.input(i) + "' is " + type + ", which opset " + std::to_string(opset) +
            " does not allow");
    if (variadic && repeats && !parameter.GetIsHomogeneous()) continue;
    const auto [first, is_new] = bound.emplace(parameter.GetTypeStr(), std::pair(format, node.input(i)));
    if (!is_new && first->second.first != format)
      wrong("the inputs '" + first->second.second + "' and '" + node.input(i) +
            "' have different element types");
  }
}

}  // namespace hallmark::model
