// ONNX's graph messages as declarations and nodes.
#pragma once
#include <onnx/onnx_pb.h>

#include <set>
#include <string>

#include "model/import.h"
#include "operators/node.h"

namespace hallmark::model {

operators::Node convert_node(const onnx::NodeProto& node);

// Gives each symbolic dimension its symbol, once.
class Dimensions {
 public:
  explicit Dimensions(const Options& options) : options_(options) {}
  // Takes the extents that the options give the input, if any, as the values of its symbols. Throws UserError
  // E6005 when they contradict the file or another input's extents.
  void bind(const onnx::ValueInfoProto& value);
  // The declaration of a graph's input. Throws Refusal E6103 when it is no tensor of a known rank, UserError
  // E6005 for a negative extent.
  calculus::Declaration declare(const onnx::ValueInfoProto& value);
  std::vector<calculus::SymbolRange> symbols() const { return symbols_; }
  // Names that were declared and have one value only, in alphabetical order.
  std::vector<std::string> numbers() const { return {numbers_.begin(), numbers_.end()}; }

 private:
  calculus::Term symbol(const std::string& name);
  Options options_;
  std::set<std::string> seen_, numbers_;
  std::set<std::string> given_, made_;  // names of dimensions in the file, and of those that have none there
  std::vector<calculus::SymbolRange> symbols_;
};

// Throws UserError E6005 when `value`, written in the file, contradicts the declaration that the operators
// gave.
void check_declared(const onnx::ValueInfoProto& value, const calculus::Declaration& declaration,
                    const std::vector<calculus::SymbolRange>& symbols);

}  // namespace hallmark::model
