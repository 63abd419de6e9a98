#include "pipeline/operator_meaning.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "calculus/text/scope.h"
#include "calculus/text/text.h"
#include "operators/operator.h"
#include "plan/derive_spec.h"

namespace hallmark::pipeline {
namespace {

constexpr int opset = 17;

operators::Attribute converted(const plan::OperatorCall::Attribute& attribute) {
  const auto number = [](const Integer& value) {
    const auto small = to_i64(value);
    if (!small) throw UserError("E7340", "an attribute beyond 64 bits");
    return *small;
  };
  if (const auto* value = std::get_if<Integer>(&attribute)) return number(*value);
  if (const auto* value = std::get_if<Rational>(&attribute)) return static_cast<float>(value->get_d());
  if (const auto* value = std::get_if<std::string>(&attribute)) return *value;
  std::vector<std::int64_t> list;
  for (const Integer& value : std::get<std::vector<Integer>>(attribute)) list.push_back(number(value));
  return list;
}

}  // namespace

plan::OperatorMeaning onnx_meaning(const plan::OperatorCall& call) {
  operators::Scope scope(call.symbols);
  operators::Node node;
  node.op_type = call.name;
  std::vector<std::string> available;
  for (const calculus::Declaration& input : call.inputs) {
    node.inputs.push_back(input.name);
    if (std::find(available.begin(), available.end(), input.name) != available.end()) continue;
    available.push_back(input.name);
    scope.add_input(input);
  }
  // The result may be the buffer of an input, in place.
  const std::string result = scope.fresh(call.output.name, "result");
  node.outputs = {result};
  for (const auto& [name, value] : call.attributes) node.attributes.emplace(name, converted(value));
  operators::build(scope, node, opset);
  const calculus::Program program = scope.finish({result});
  const calculus::Definition* definition = nullptr;
  for (const calculus::Definition& d : program.definitions)
    if (d.declaration.name == result) definition = &d;
  if (definition == nullptr)
    throw UserError("E7340", fmt::format("onnx.{} gives a constant here", call.name));
  const auto text = [](const calculus::Declaration& declaration) {
    std::string out = std::string(calculus::name(declaration.format)) + "[";
    for (std::size_t d = 0; d < declaration.extents.size(); ++d)
      out +=
          (d > 0 ? ", " : "") + calculus::text::print_term(declaration.extents[d], calculus::text::Scope{});
    return out + "]";
  };
  if (definition->declaration.format != call.output.format ||
      definition->declaration.extents != call.output.extents)
    throw UserError("E7340", fmt::format("onnx.{} gives {}, and {} is {}", call.name,
                                         text(definition->declaration), call.output.name, text(call.output)));
  if (!program.preconditions.empty())
    throw UserError("E7340", fmt::format("onnx.{} needs a condition on the extents that does not always hold",
                                         call.name));
  return {plan::inline_definitions(program, result, available), program.functions};
}

}  // namespace hallmark::pipeline
