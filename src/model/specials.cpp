#include "model/specials.h"

#include <cmath>

#include "evaluator/tensor.h"
#include "model/reader.h"
#include "model/tensors.h"

namespace hallmark::model {
namespace {

bool is_special(double value) {
  return !std::isfinite(value) || (value == 0 && std::signbit(value));
}

bool holds_special(const onnx::TensorProto& tensor) {
  const auto format = format_of_type(tensor.data_type());
  if (!format || !calculus::is_float(*format)) return false;
  const evaluator::Tensor contents(tensor_data(tensor, "the tensor '" + tensor.name() + "'"));
  for (std::int64_t i = 0; i < contents.element_count(); ++i)
    if (is_special(contents.number(i))) return true;
  return false;
}

}  // namespace

bool has_special_values(std::string_view bytes, bool is_text) {
  const Read read = read_model(bytes, is_text);
  const onnx::GraphProto& graph = read.model.graph();
  for (const auto& tensor : graph.initializer())
    if (holds_special(tensor)) return true;
  for (const auto& node : graph.node())
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_t() && holds_special(attribute.t())) return true;
      if (is_special(static_cast<double>(attribute.f())) && attribute.type() == onnx::AttributeProto::FLOAT)
        return true;
      for (const float value : attribute.floats())
        if (is_special(static_cast<double>(value))) return true;
    }
  return false;
}

}  // namespace hallmark::model
