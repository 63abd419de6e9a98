#include "model/expansion.h"

#include <map>

#include "model/expansion_parts.h"

namespace hallmark::model {

std::optional<Function> expansion_of(const onnx::NodeProto& node, int opset, operators::Scope& scope) {
  struct Entry {
    int since;  // the oldest opset whose text is the one written out
    Function (*expand)(NodeWriter&);
  };
  static const std::map<std::string, Entry> table{{"RNN", {7, expand_rnn}},
                                                  {"GRU", {7, expand_gru}},
                                                  {"LSTM", {7, expand_lstm}},
                                                  {"QLinearMatMul", {10, expand_quantized_matmul}},
                                                  {"QLinearConv", {10, expand_quantized_convolution}}};
  const auto found = table.find(node.op_type());
  if (found == table.end() || opset < found->second.since) return std::nullopt;
  NodeWriter writer(node, opset, scope);
  return found->second.expand(writer);
}

}  // namespace hallmark::model
