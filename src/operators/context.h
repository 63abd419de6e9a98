// What an operator's builder sees of its node: inputs, attributes, known contents; and where it puts its
// definitions. Every complaint names the node and its operator.
//
// Errors: UserError E6201 (the node contradicts ONNX's own rules: shapes that do not fit, a missing input, an
// attribute of another type or out of range); Refusal E6301 (an attribute or combination without a
// definition here), E6302 (a shape, axis or other structure that depends on run-time data), E6303 (element
// types), E6304 (symbolic extents that leave the meaning open), E6305 (a NaN or an infinity in a constant;
// soundness A2).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operators/scope.h"

namespace hallmark::operators {

using calculus::Format;
using calculus::Sort;
using calculus::Term;
using Indices = std::vector<Term>;

class NodeContext {
 public:
  NodeContext(Scope& scope, const Node& node, int opset) : scope_(scope), node_(node), opset_(opset) {}

  const Node& node() const { return node_; }
  int opset() const { return opset_; }
  [[noreturn]] void invalid(const std::string& what) const;                             // E6201
  [[noreturn]] void refuse(const std::string& what, const char* code = "E6301") const;  // E63xx

  // --- Inputs ---
  std::size_t input_count() const { return node_.inputs.size(); }
  bool has_input(std::size_t i) const;
  const calculus::Declaration& input(std::size_t i) const;
  const Extents& extents(std::size_t i) const { return input(i).extents; }
  Term extent(std::size_t i, std::size_t axis) const { return extents(i).at(axis); }
  std::size_t rank(std::size_t i) const { return extents(i).size(); }
  Format format(std::size_t i) const { return input(i).format; }
  Sort sort(std::size_t i) const { return calculus::exact_sort(format(i)); }
  // Whether the input is neither one of the model's inputs nor a constant.
  bool is_computed(std::size_t i) const;
  bool is_constant(std::size_t i) const { return known(i).data != nullptr; }
  void require_float(std::size_t i) const;
  void require_number(std::size_t i) const;  // not bool
  // The element at these indices; the literal itself when the input is one known number.
  Term element(std::size_t i, const Indices& indices) const;
  // The same for inputs that may be -infinity: `kept` says where they are not (nullptr: nowhere). What an
  // operator makes of such elements is a guard of its own; element() refuses them.
  struct Masked {
    Term value = nullptr, kept = nullptr;
  };
  Masked masked_element(std::size_t i, const Indices& indices) const;
  Masked masked_broadcast(std::size_t i, const Indices& indices) const;
  // The element that ONNX's multidirectional broadcasting puts at the output's indices.
  Term broadcast(std::size_t i, const Indices& indices) const;
  // The only element of an input of one element.
  Term scalar(std::size_t i) const;
  // The one element of a tensor as a literal term.
  Term literal(const calculus::TensorData& tensor) const;
  // An integer element as an index, shifted up by `extent` when negative. Constants are checked to lie
  // inside; that run-time values do is a demand on the inputs (the evaluator's E1012, the contract's index
  // boxes).
  Term element_index(std::size_t i, const Indices& indices, Term extent) const;
  // The same without the check of constants: for index tensors whose numbers address different axes.
  Term run_time_index(std::size_t i, const Indices& indices, Term extent) const;
  // The same for an index that is compared with positions and not read at: it is read from the positions of
  // the axis, so that it has to lie inside as any index has.
  Term compared_index(std::size_t i, const Indices& indices, Term extent);

  // --- Attributes ---
  bool has(const std::string& attribute) const { return node_.attributes.count(attribute) != 0; }
  std::int64_t integer(const std::string& attribute, std::int64_t otherwise) const;
  std::int64_t integer(const std::string& attribute) const;
  bool flag(const std::string& attribute, bool otherwise) const;           // 0 or 1
  std::vector<std::int64_t> integers(const std::string& attribute) const;  // empty when absent
  std::string string(const std::string& attribute, const std::string& otherwise) const;
  Rational number(const std::string& attribute, double otherwise) const;  // the float's exact value
  std::vector<float> floats(const std::string& attribute) const;
  // Whether the float attribute, or the constant input, is the infinity of this sign in every element.
  bool is_infinite(const std::string& attribute, int sign) const;
  bool is_infinite_constant(std::size_t i, int sign) const;
  // Exact value of a float; refuses NaN and infinities.
  Rational exact(float value, const std::string& what) const;
  std::size_t axis_of(std::int64_t axis, std::size_t rank) const;  // negative ones count from the end
  std::vector<std::size_t> axes_of(const std::vector<std::int64_t>& axes,
                                   std::size_t rank) const;  // distinct

  // --- Contents known at import ---
  std::vector<std::int64_t> known_integers(std::size_t i) const;
  std::vector<Term> known_indices(std::size_t i) const;  // over the symbols
  std::optional<std::vector<Rational>> known_numbers(std::size_t i) const;

  // --- Extents ---
  const SymbolRanges& ranges() const { return scope_.ranges(); }
  bool are_equal(Term a, Term b) const;  // refuses E6304 when undecided
  bool is_less_or_equal(Term a, Term b) const;
  // Invalid when they differ for every value of the symbols, a precondition when for some.
  void require_equal(Term a, Term b, const std::string& what);
  void require_at_most(Term a, Term b, const std::string& what);
  Extents broadcast_extents(const std::vector<Extents>& shapes);
  std::int64_t concrete(Term extent, const std::string& what) const;  // refuses E6304

  // --- Outputs ---
  std::size_t output_count() const { return node_.outputs.size(); }
  bool wants(std::size_t output) const { return output < output_count() && !node_.outputs[output].empty(); }
  // Does nothing when the output is not wanted. `body` is over axis(0..).
  void define(std::size_t output, Format format, Extents extents, Term body);
  void define(std::size_t output, Format format, Extents extents, const Masked& body);
  void define_constant(std::size_t output, TensorPointer data);
  // A tensor of the node's own, "Y.hint"; returns its name.
  std::string define_helper(const std::string& hint, Format format, Extents extents, Term body,
                            bool may_fold = true);

 private:
  const Known& known(std::size_t i) const;
  Indices broadcast_indices(std::size_t i, const Indices& indices) const;
  const Attribute* attribute(const std::string& name) const;
  template <class T>
  const T& attribute_as(const std::string& name, const char* type) const;

  Scope& scope_;
  const Node& node_;
  int opset_;
};

// Elementwise over broadcast inputs: the output's element from the inputs' elements.
void define_elementwise(NodeContext& context, Format format,
                        const std::function<Term(const std::vector<Term>&)>& body);

}  // namespace hallmark::operators
