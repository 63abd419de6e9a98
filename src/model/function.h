// Operators that ONNX defines as functions of other operators, written out.
#pragma once
#include <onnx/onnx_pb.h>

#include <optional>
#include <vector>

#include "operators/scope.h"

namespace hallmark::model {

struct Function {
  std::vector<onnx::NodeProto> nodes;  // over the caller's names and fresh ones
  int opset = 0;                       // of the nodes
};

// ONNX's own body of the node's operator at this opset. Empty when the schema has none for this node. Throws
// Refusal E6104 when the body calls for a newer opset than 17.
std::optional<Function> function_of(const onnx::NodeProto& node, int opset, operators::Scope& scope);

}  // namespace hallmark::model
