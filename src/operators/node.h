// One node of a model's graph, free of any file format.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "calculus/program.h"

namespace hallmark::operators {

using TensorPointer = std::shared_ptr<const calculus::TensorData>;
using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                               std::vector<float>, std::vector<std::string>, TensorPointer>;

struct Node {
  std::string name;  // may be empty
  std::string op_type;
  std::string domain;                // "" is ONNX's own
  std::vector<std::string> inputs;   // "" stands for an optional input that is left out
  std::vector<std::string> outputs;  // "" for one that is not wanted
  std::map<std::string, Attribute> attributes;
};

// "MatMul_7 (MatMul)"; a node without a name is called after its first output.
std::string describe(const Node& node);

}  // namespace hallmark::operators
