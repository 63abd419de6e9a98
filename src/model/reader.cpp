#include "model/reader.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx/checker.h>
#include <onnx/defs/parser.h>

#include <mutex>
#include <optional>

#include "base/error.h"

namespace hallmark::model {
namespace {

constexpr int newest_opset = 17, oldest_opset = 6;
constexpr int newest_ir = 8;

// ONNX's text parser calls itself for every nesting, so a text of brackets alone could exhaust the stack.
void check_nesting(std::string_view text) {
  constexpr int limit = 64;
  int depth = 0;
  bool quoted = false, comment = false;
  for (const char c : text) {
    if (comment) {
      comment = c != '\n';
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      comment = c == '#';
      if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
      if ((c == ')' || c == ']' || c == '}' || c == '>') && depth > 0) --depth;
      if (depth > limit) throw UserError("E6002", "the text form is nested more than 64 deep");
    }
  }
  if (quoted) throw UserError("E6002", "the text form ends inside a string");
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// "[ParseError at position (line: 3 column: 7)]\nError context: ...\nmessage"
[[noreturn]] void report_parse_error(const std::string& report, std::string_view text) {
  Location where;
  std::size_t line = 0, column = 0;
  if (const auto at = report.find("(line: ");
      at != std::string::npos &&
      std::sscanf(report.c_str() + at, "(line: %zu column: %zu)", &line, &column) == 2) {
    where.line = line;
    where.column = column;
  }
  const std::size_t last = report.find_last_of('\n', report.find_last_not_of('\n'));
  const std::string message = last == std::string::npos ? report : report.substr(last + 1);
  throw UserError("E6002", "not ONNX's text form: " + message, where, line_of(text, line));
}

onnx::ModelProto parse(std::string_view bytes, bool is_text) {
  onnx::ModelProto model;
  if (is_text) {
    check_nesting(bytes);
    const std::string text(bytes);
    if (text.find('\0') != std::string::npos) throw UserError("E6002", "the text form holds a zero byte");
    onnx::OnnxParser parser(text.c_str());
    try {
      const auto status = parser.Parse(model);
      if (!status.IsOK()) report_parse_error(status.ErrorMessage(), text);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& e) {  // a number out of range
      throw UserError("E6002",
                      std::string("not ONNX's text form: a number is out of range (") + e.what() + ")");
    }
    if (!parser.EndOfInput()) throw UserError("E6002", "the text form goes on after the graph");
    return model;
  }
  if (bytes.size() > std::size_t{2000000000}) throw Refusal("E6105", "a model file above 2 GB");
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw UserError("E6001", "not an ONNX model: the file is truncated or is something else");
  return model;
}

void check_tensor_location(const onnx::TensorProto& tensor) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL || tensor.external_data_size() > 0)
    throw Refusal("E6102", "the tensor '" + tensor.name() +
                               "' lies in another file; only self-contained models are read");
}

std::string described(const onnx::NodeProto& node) {
  std::string name = node.name();
  for (const std::string& output : node.output())
    if (name.empty()) name = output;
  return name + " (" + node.op_type() + ")";
}

// What has no meaning here is refused before ONNX's checker sees it: the checker opens external files and
// walks into subgraphs.
void check_supported(const onnx::ModelProto& model) {
  const onnx::GraphProto& graph = model.graph();
  if (model.functions_size() > 0)
    throw Refusal("E6104", "the model defines functions of its own ('" + model.functions(0).name() + "')");
  if (model.training_info_size() > 0) throw Refusal("E6104", "the model holds training information");
  if (graph.sparse_initializer_size() > 0) throw Refusal("E6104", "the model holds sparse tensors");
  if (graph.quantization_annotation_size() > 0)
    throw Refusal("E6104", "the model holds quantisation annotations");
  for (const onnx::TensorProto& tensor : graph.initializer()) check_tensor_location(tensor);
  for (const onnx::NodeProto& node : graph.node())
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g() || attribute.graphs_size() > 0)
        throw Refusal("E6104",
                      described(node) + ": control flow has no meaning here (attribute '" + attribute.name() +
                          "' is a graph)",
                      {.node = described(node)});
      if (attribute.has_sparse_tensor() || attribute.sparse_tensors_size() > 0)
        throw Refusal("E6104", described(node) + ": sparse tensors have no meaning here",
                      {.node = described(node)});
      if (attribute.has_t()) check_tensor_location(attribute.t());
      for (const onnx::TensorProto& tensor : attribute.tensors()) check_tensor_location(tensor);
    }
}

int opset_of(const onnx::ModelProto& model) {
  if (!model.has_ir_version()) throw UserError("E6001", "not an ONNX model: it has no IR version");
  if (model.ir_version() > newest_ir)
    throw Refusal("E6101", "IR version " + std::to_string(model.ir_version()) + " is newer than " +
                               std::to_string(newest_ir) + ", the newest that is read here");
  if (!model.has_graph()) throw UserError("E6001", "not an ONNX model: it has no graph");
  std::optional<std::int64_t> opset;
  for (const auto& import : model.opset_import()) {
    if (!import.domain().empty() && import.domain() != "ai.onnx") continue;
    if (opset && *opset != import.version()) throw UserError("E6003", "two opsets of ONNX's own domain");
    opset = import.version();
  }
  if (!opset) throw Refusal("E6101", "the model imports no opset of ONNX's own domain");
  if (*opset > newest_opset)
    throw Refusal("E6101", "opset " + std::to_string(*opset) + " is newer than " +
                               std::to_string(newest_opset) + ", the newest that is read here");
  if (*opset < oldest_opset)
    throw Refusal("E6101", "opset " + std::to_string(*opset) + " is older than " +
                               std::to_string(oldest_opset) + ", the oldest that is read here");
  return static_cast<int>(*opset);
}

}  // namespace

Read read_model(std::string_view bytes, bool is_text) {
  // The library would write its own complaints to stderr beside ours.
  static std::once_flag silenced;
  std::call_once(silenced, [] { google::protobuf::SetLogHandler(nullptr); });

  Read read;
  read.model = parse(bytes, is_text);
  read.opset = opset_of(read.model);
  check_supported(read.model);
  try {
    onnx::checker::check_model(read.model);
  } catch (const std::exception& e) {
    throw UserError("E6003", "ONNX's checker refuses the model: " + first_line(e.what()));
  }
  return read;
}

}  // namespace hallmark::model
