// Operators that are written out here as a graph of smaller ones, because ONNX 1.12 has no function body for
// them: the recurrent layers, one step after the other, and the quantised products.
#pragma once
#include <onnx/onnx_pb.h>

#include <optional>

#include "model/function.h"

namespace hallmark::model {

// The nodes that compute what `node` computes at this opset; empty for operators that are not written out.
// Source: the operators' texts in ONNX's operator schemas, opsets 7 to 17. Throws UserError E6201 for inputs
// that do not fit the operator, Refusal E6301 (an attribute without a meaning here), E6302 (structure that is
// not known at import), E6304 (a number of steps that is a symbol).
std::optional<Function> expansion_of(const onnx::NodeProto& node, int opset, operators::Scope& scope);

}  // namespace hallmark::model
