// The error bound of an expression on one box of inputs, by one forward and one backward pass.
//
// Let the executed value of node j be rnd_j(op_j(children)), and replace the roundings by the identity one
// node at a time, last node first. Each step changes one node by its own rounding error e_j, |e_j| <= E_j,
// and everything after it is exact; so by the mean value theorem the result changes by at most E_j times the
// greatest derivative of the exact remainder of the DAG in node j. Every intermediate value lies in the
// node's range, which encloses exact and rounded results; so
//   |computed - exact| <= sum over j of E_j * sup |d result / d node_j|,
// with no second-order term dropped (design notes, numerics.md section 4). Absolute value, minimum and
// maximum have the derivatives of either side (Lebourg's mean value theorem). A choice whose condition is not
// the same for all values of the box is a source of its own: both values are within its range. So is a root
// whose operand may come close to 0, where it has no slope: |a'^c - a^c| <= |a' - a|^c for 0 < c <= 1 and a,
// a' >= 0 (t^c is subadditive), with |a' - a| bounded by the same theorem for the operand as the result. A
// power whose exponent may be on either side of 1 takes the greater of this and of slope times |a' - a|.
#pragma once
#include <utility>
#include <vector>

#include "numerics/expression/call_span.h"
#include "numerics/expression/expression.h"
#include "numerics/expression/node_format.h"
#include "numerics/expression/span.h"

namespace hallmark::numerics {

class Sweep {
 public:
  // `all_derivatives`: also of what no error reaches.
  Sweep(const Expression& expression, const ExpressionModel& model, bool all_derivatives = false);

  struct Result {
    bool excluded = false;  // no point of the box meets the precondition
    double bound = 0;       // infinite: an operation may leave its domain or overflow there
    int blamed = -1;        // then, the node
  };
  Result run(const std::vector<Span>& box);
  // After run(): the contribution of each node to the bound, and the range of each.
  const std::vector<double>& contributions() const { return contribution_; }
  const std::vector<Span>& ranges() const { return range_; }
  const std::vector<Span>& derivatives() const { return adjoint_; }
  // Whether a choice or step may change inside of the box: then derivatives do not bound what the value does.
  bool may_jump() const { return may_jump_; }

 private:
  enum class Three { no, yes, unknown };
  // A case: how each node that is looked at in both ways is taken, and what follows from it.
  struct Case {
    std::vector<Three> taken;                // unknown: not of this case
    std::vector<std::pair<int, int>> order;  // the first is at most the second
    std::vector<Span> within;
    bool possible = true;
  };
  int same(std::size_t node, const Case* of) const;
  void forward(const std::vector<Span>& box, const Case* of);
  Span value(std::size_t node, const std::vector<Span>& box, const Case* of);
  Span difference(const ExpressionNode& n, const Case* of) const;
  void round(std::size_t node, Span exact);
  void propagate(std::size_t node, const Case* of);
  Result backward(const Case* of, int from);
  // In the order of the nodes, so that each stands behind those it depends on.
  std::vector<std::size_t> steep_nodes() const;
  double root_of_error(std::size_t node, double error);
  std::vector<std::size_t> open_nodes() const;
  Case make_case(const std::vector<std::size_t>& open, unsigned number) const;
  void follow(int condition, bool holds, Case& out) const;
  Result by_cases(const std::vector<Span>& box, const std::vector<std::size_t>& open);
  bool reached(int condition) const;  // whether an error reaches what it compares
  Three decide(int condition) const;
  double rounding_bound(std::size_t node, Span exact) const;

  const Expression& expression_;
  ExpressionModel model_;
  bool all_derivatives_;
  double call_ulps_;
  CallSpans calls_;
  std::vector<Span> range_, adjoint_, constant_;
  std::vector<double> error_, contribution_, constant_error_;
  std::vector<Three> taken_;   // of choices
  std::vector<int> same_;      // the earliest node that has the same value
  std::vector<char> carries_;  // an error reaches the node
  std::vector<char> steep_;    // a root near 0: a source of its own
  std::vector<std::size_t> steep_nodes_;
  std::vector<Three> base_taken_;  // taken_ without a case
  std::vector<NodeFacts> facts_;
  bool may_jump_ = false;
};

}  // namespace hallmark::numerics
