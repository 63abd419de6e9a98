// What a specification means that names an operator of ONNX: the one definition of it in src/operators.
#pragma once
#include "plan/spec_text.h"

namespace hallmark::pipeline {

// Opset 17. Throws UserError and Refusal E6xxx as operators/context.h says, and UserError E7340 when the
// ensured buffer has another shape or element type than the operator's output, or the operator needs a
// condition on the extents that does not always hold.
plan::OperatorMeaning onnx_meaning(const plan::OperatorCall& call);

}  // namespace hallmark::pipeline
