// From an ONNX file to an exact program (design, section 1, link 0: tested, not proved, and listed as an
// assumption). ONNX's own library reads the file and its text form and checks it; the meaning of each
// operator, at the file's own opset, is src/operators'.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calculus/program.h"

namespace hallmark::model {

struct Options {
  // By symbolic dimension: its range. A range of one value replaces the symbol by the number. A dimension
  // without a name is called "INPUT.AXIS". Symbols that are not named here range from 1 up.
  std::map<std::string, calculus::SymbolRange> dimensions;
  // By input: its extents, which give the symbolic dimensions their values.
  std::map<std::string, std::vector<std::int64_t>> input_extents;
  // By input: contents that are fixed for good, so that shapes and axes may depend on them. Such an input is
  // a constant of the program and no input of it, and stands among the assumptions. Its extents are bound,
  // too.
  std::map<std::string, std::shared_ptr<const calculus::TensorData>> input_values;
};

// A graph's input that has no initializer, before anything else of the model is understood.
struct ModelInput {
  std::string name;
  std::optional<calculus::Format> format;  // empty: no tensor of numbers or booleans
};
// In the file's order. Throws as import_model does.
std::vector<ModelInput> model_inputs(std::string_view bytes, bool is_text);

struct Model {
  calculus::Program program;
  std::string name;      // of the graph
  std::string producer;  // "pytorch 1.2", may be empty
  int opset = 0;         // as in the file
  int ir_version = 0;
  std::string digest;  // SHA-256 of the file's bytes
  // By definition: the node that it comes from, "MatMul_7 (MatMul)".
  std::map<std::string, std::string> origins;
  // Names of dimensions that stand as numbers in the program, because the options give them one value.
  std::vector<std::string> numbers;
  // What was taken for granted on the way, for the receipt.
  std::vector<std::string> assumptions;
};

// Reads ONNX's binary form, or its text form when the path ends in ".onnxtxt".
//
// Errors. UserError: E0001 unreadable; E6001 not an ONNX model; E6002 text form (with line and column); E6003
// refused by ONNX's checker; E6004 a tensor whose data does not fit its type and extents; E6005 declared
// shapes that contradict each other or what the operators give; E6008 element types that a node's schema does
// not allow; E6007 a test suite's data do not fit its model (suite.h). Refusal: E6101 a newer IR or opset
// than 8 and 17; E6102 external data; E6103 types other than tensors of numbers and booleans; E6104 control
// flow, sparse tensors, model-local functions, quantisation annotations and other parts without a meaning
// here; E6105 sizes beyond what import handles. From operators: E62xx, E63xx (operators/context.h).
Model import_model(const std::string& path, const Options& options = {});
Model import_bytes(std::string_view bytes, bool is_text, const Options& options = {});

}  // namespace hallmark::model
