#include "model/import.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"
#include "model/expansion.h"
#include "model/function.h"
#include "model/graph.h"
#include "model/reader.h"
#include "model/tensors.h"
#include "model/types.h"
#include "operators/operator.h"

namespace hallmark::model {

using namespace calculus;

namespace {

// A node that some output needs. Outputs that nobody needs are left out, so that an operator need not have a
// meaning for each.
struct LiveNode {
  const onnx::NodeProto* proto = nullptr;
  std::vector<std::string> outputs;
};

// In the given order, which must be topological: each node after those that it uses.
template <class Nodes>
std::vector<LiveNode> live_nodes(const Nodes& nodes, std::set<std::string> needed) {
  std::vector<LiveNode> live;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    bool wanted = false;
    std::vector<std::string> outputs;
    for (const std::string& output : node->output()) {
      const bool used = !output.empty() && needed.count(output) != 0;
      wanted = wanted || used;
      outputs.push_back(used ? output : "");
    }
    if (!wanted) continue;
    live.push_back({&*node, std::move(outputs)});
    for (const std::string& input : node->input())
      if (!input.empty()) needed.insert(input);
  }
  std::reverse(live.begin(), live.end());
  return live;
}

class Importer {
 public:
  Importer(const Read& read, const Options& options)
      : read_(read), graph_(read.model.graph()), options_(options), dimensions_(options) {}

  Model run() {
    std::set<std::string> initialized;
    for (const auto& tensor : graph_.initializer()) initialized.insert(tensor.name());
    for (const auto& input : graph_.input()) dimensions_.bind(input);
    std::vector<Declaration> inputs;
    // Whatever would be proved of it would be proved of nothing.
    if (graph_.output().empty())
      throw UserError("E6003", "the graph has no output, so there is nothing to compute");
    std::map<std::string, operators::TensorPointer> values;
    bool fixed = false;
    for (const auto& input : graph_.input()) {
      if (initialized.count(input.name()) != 0) {
        fixed = true;
        continue;
      }
      Declaration declaration = dimensions_.declare(input);
      const auto given = options_.input_values.find(input.name());
      if (given == options_.input_values.end()) {
        inputs.push_back(std::move(declaration));
        continue;
      }
      if (given->second->format != declaration.format)
        throw UserError("E6005",
                        "the value given for the input '" + input.name() + "' has another element type",
                        {.node = input.name()});
      values.emplace(input.name(), given->second);
    }
    operators::Scope scope(dimensions_.symbols());
    for (const auto& node : graph_.node())
      for (const std::string& output : node.output()) scope.reserve(output);
    for (Declaration& input : inputs) scope.add_input(std::move(input));
    for (const auto& [name, data] : values) scope.add_constant(name, data);
    for (const auto& tensor : graph_.initializer())
      scope.add_constant(tensor.name(), tensor_data(tensor, "the initializer '" + tensor.name() + "'"));

    std::set<std::string> needed;
    for (const auto& output : graph_.output()) needed.insert(output.name());
    for (const LiveNode& node : live_nodes(graph_.node(), std::move(needed)))
      build(scope, node, read_.opset, 0);
    check_declarations(scope);

    Model out;
    std::vector<std::string> outputs;
    for (const auto& output : graph_.output()) outputs.push_back(output.name());
    out.program = scope.finish(outputs);
    out.numbers = dimensions_.numbers();
    check_program(out.program);
    describe(out, fixed);
    if (scope.extents_may_wrap()) out.assumptions.push_back("extents-are-computed-without-overflow");
    return out;
  }

 private:
  // An operator of src/operators, or else ONNX's function body for it, node by node.
  void build(operators::Scope& scope, const LiveNode& live, int opset, int depth) {
    operators::Node node = convert_node(*live.proto);
    node.outputs = live.outputs;
    check_domain(node);
    check_types(*live.proto, opset, scope);
    constexpr int maximum_depth = 8;
    if (operators::find_operator(node.op_type, "", opset) == nullptr && depth < maximum_depth) {
      onnx::NodeProto call = *live.proto;
      for (int i = 0; i < call.output_size(); ++i)
        call.set_output(i, live.outputs[static_cast<std::size_t>(i)]);
      auto function = expansion_of(call, opset, scope);
      if (!function) {
        function = function_of(call, opset, scope);
        if (function) expanded_.insert(node.op_type);
      }
      if (function) {
        const std::set<std::string> needed(live.outputs.begin(), live.outputs.end());
        for (const LiveNode& inner : live_nodes(function->nodes, needed))
          build(scope, inner, function->opset, depth + 1);
        return;
      }
    }
    operators::build(scope, node, opset);
  }

  void check_domain(const operators::Node& node) const {
    if (node.domain.empty()) return;
    throw Refusal(
        "E6300",
        operators::describe(node) + ": operators of the domain '" + node.domain + "' have no definition here",
        {.node = operators::describe(node)});
  }

  void check_declarations(const operators::Scope& scope) const {
    const auto check = [&](const onnx::ValueInfoProto& value) {
      if (const operators::Known* known = scope.find(value.name()); known != nullptr)
        check_declared(value, known->declaration, dimensions_.symbols());
    };
    for (const auto& value : graph_.value_info()) check(value);
    for (const auto& value : graph_.input()) check(value);
    std::set<std::string> listed;
    for (const auto& output : graph_.output()) {
      if (!listed.insert(output.name()).second)
        throw UserError("E6003", "the output '" + output.name() + "' is listed twice",
                        {.node = output.name()});
      if (scope.find(output.name()) == nullptr)
        throw UserError("E6003", "the output '" + output.name() + "' is not defined",
                        {.node = output.name()});
      check(output);
    }
  }

  void describe(Model& out, bool fixed) const {
    out.name = graph_.name();
    out.producer = read_.model.producer_name();
    if (!read_.model.producer_version().empty()) out.producer += " " + read_.model.producer_version();
    out.opset = read_.opset;
    out.ir_version = static_cast<int>(read_.model.ir_version());
    for (const Definition& d : out.program.definitions) out.origins.emplace(d.declaration.name, d.origin);
    out.assumptions.push_back("onnx-reader-and-checker 1.12");
    out.assumptions.push_back("operator-definitions opset " + std::to_string(out.opset));
    for (const std::string& op_type : expanded_) out.assumptions.push_back("onnx-function-body:" + op_type);
    if (fixed) out.assumptions.push_back("inputs-with-initializers-keep-their-values");
    for (const auto& [name, data] : options_.input_values) out.assumptions.push_back("input-fixed:" + name);
  }

  const Read& read_;
  const onnx::GraphProto& graph_;
  const Options& options_;
  Dimensions dimensions_;
  std::set<std::string> expanded_;  // operators that were written out by ONNX's function bodies
};

}  // namespace

Model import_bytes(std::string_view bytes, bool is_text, const Options& options) {
  const Read read = read_model(bytes, is_text);
  Model out = Importer(read, options).run();
  out.digest = sha256_hex(bytes);
  return out;
}

std::vector<ModelInput> model_inputs(std::string_view bytes, bool is_text) {
  const Read read = read_model(bytes, is_text);
  std::set<std::string> initialized;
  for (const auto& tensor : read.model.graph().initializer()) initialized.insert(tensor.name());
  std::vector<ModelInput> out;
  for (const auto& input : read.model.graph().input())
    if (initialized.count(input.name()) == 0)
      out.push_back({input.name(), input.type().value_case() == onnx::TypeProto::kTensorType
                                       ? format_of_type(input.type().tensor_type().elem_type())
                                       : std::nullopt});
  return out;
}

Model import_model(const std::string& path, const Options& options) {
  const std::string bytes = read_file(path);
  constexpr std::string_view text_suffix = ".onnxtxt";
  const bool is_text = path.size() >= text_suffix.size() &&
                       path.compare(path.size() - text_suffix.size(), text_suffix.size(), text_suffix) == 0;
  const auto in_file = [&](const Error& e) {
    Location where = e.where();
    where.file = path;
    return where;
  };
  try {
    return import_bytes(bytes, is_text, options);
  } catch (const UserError& e) {
    throw UserError(e.code(), e.message(), in_file(e), e.source_line());
  } catch (const Refusal& e) {
    throw Refusal(e.code(), e.message(), in_file(e), e.source_line());
  }
}

}  // namespace hallmark::model
