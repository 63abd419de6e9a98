// ONNX operators as short functions that build calculus terms: one definition per operator and range of
// opsets, from which shape rules, evaluation, proofs and kernels all follow (design, section 2).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "operators/context.h"

namespace hallmark::operators {

// Adds the node's definitions to the context's scope: every wanted output is declared with its extents.
using Builder = void (*)(NodeContext& context);

struct Operator {
  std::string_view name;
  std::string_view domain;  // "" is ONNX's own
  int since = 1;            // first and last opset with this meaning
  int until = 17;
  Builder build = nullptr;
};

// Of ONNX's own domain unless said otherwise. nullptr when the operator, or that version of it, has no
// definition here.
const Operator* find_operator(std::string_view name, std::string_view domain, int opset);
// All of them, by domain, name and opset.
const std::vector<Operator>& all_operators();

// Defines the node's outputs. Throws as NodeContext does, and Refusal E6300 when the operator is not known;
// InternalError when a wanted output stays undefined.
void build(Scope& scope, const Node& node, int opset);

}  // namespace hallmark::operators
