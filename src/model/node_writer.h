// Nodes over fresh names, for operators that are written out as graphs.
#pragma once
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/function.h"

namespace hallmark::model {

// Reads the operator's node and collects the nodes that it is written out as. A value is the name of a
// tensor.
class NodeWriter {
 public:
  NodeWriter(const onnx::NodeProto& node, int opset, operators::Scope& scope);

  // --- The operator that is written out ---
  // "" when the input, or the output, is left out.
  std::string input(int i) const { return i < node_.input_size() ? node_.input(i) : std::string(); }
  std::string output(int i) const { return i < node_.output_size() ? node_.output(i) : std::string(); }
  const calculus::Declaration& declaration(int i) const;  // of an input that is there
  // Requires the input to be there, and to have this many axes. Throws UserError E6201.
  const operators::Extents& require_input(int i, std::size_t rank) const;
  // The extent as a number. Throws Refusal E6304 when it is a symbol.
  std::int64_t concrete(const calculus::Term& extent, const std::string& what) const;
  const onnx::AttributeProto* attribute(const std::string& name) const;  // nullptr when absent
  std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
  std::string string(const std::string& name, const std::string& otherwise) const;
  [[noreturn]] void invalid(const std::string& what) const;
  [[noreturn]] void refuse(const std::string& what, const char* code = "E6301") const;

  int opset() const { return out_.opset; }

  // --- What it is written out as ---
  // A node with one output, which is named `output` or freshly; returns the output's name.
  std::string add(const std::string& op_type, const std::vector<std::string>& inputs,
                  const std::string& output = "");
  // Attributes of the node that was added last.
  void with(const std::string& name, std::int64_t value);
  void with(const std::string& name, const std::vector<std::int64_t>& values);
  // Copies the operator's own attribute, where it has it, to the node that was added last.
  void with_own(const std::string& name);
  std::string constant(std::int64_t value);                       // of rank 0
  std::string constant(const std::vector<std::int64_t>& values);  // of rank 1
  std::string zero(calculus::Format format);                      // of rank 0
  std::string reshape(const std::string& value, const std::vector<std::int64_t>& to,
                      const std::string& output = "");
  std::string transpose(const std::string& value, const std::vector<std::int64_t>& permutation,
                        const std::string& output = "");
  std::string concat(const std::vector<std::string>& values, std::int64_t axis,
                     const std::string& output = "");
  std::string cast(const std::string& value, calculus::Format format);

  Function take();

 private:
  std::string constant_of(std::vector<std::int64_t> values, bool scalar);

  const onnx::NodeProto& node_;
  operators::Scope& scope_;
  std::string name_, base_;
  Function out_;
};

}  // namespace hallmark::model
