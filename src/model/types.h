// The element types that ONNX's schemas allow.
#pragma once
#include <onnx/onnx_pb.h>

#include "operators/scope.h"

namespace hallmark::model {

// Holds the node's inputs against its schema: each of an allowed type, those of one type variable alike.
// ONNX's checker leaves this to shape inference. Throws UserError E6008. Operators without a schema pass.
void check_types(const onnx::NodeProto& node, int opset, const operators::Scope& scope);

}  // namespace hallmark::model
