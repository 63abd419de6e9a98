// Bytes to a checked ModelProto of an opset that src/operators defines.
#pragma once
#include <onnx/onnx_pb.h>

#include <string>
#include <string_view>

namespace hallmark::model {

struct Read {
  onnx::ModelProto model;
  int opset = 0;  // of ONNX's own domain, 6 to 17
};

// Throws as import_model does (E6001 to E6003, E6101, E6102, E6104, E6105).
Read read_model(std::string_view bytes, bool is_text);

}  // namespace hallmark::model
