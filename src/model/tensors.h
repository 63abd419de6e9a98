// TensorProto and element types of ONNX as the calculus has them.
#pragma once
#include <onnx/onnx_pb.h>

#include <optional>
#include <string>

#include "calculus/program.h"

namespace hallmark::model {

// Empty for strings, complex numbers and unknown types.
std::optional<calculus::Format> format_of_type(int onnx_type);
int type_of_format(calculus::Format format);  // throws InternalError for a format that ONNX does not have
std::string type_name(int onnx_type);

// Copies the contents. `what` names the tensor in errors. Throws UserError E6004, Refusal E6102, E6103.
std::shared_ptr<const calculus::TensorData> tensor_data(const onnx::TensorProto& tensor,
                                                        const std::string& what);
// A file that holds one TensorProto, as ONNX's test data do. Throws UserError E0001, E6004.
struct NamedTensor {
  std::string name;
  std::shared_ptr<const calculus::TensorData> data;
};
NamedTensor read_tensor_file(const std::string& path);

}  // namespace hallmark::model
