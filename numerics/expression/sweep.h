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
// the same for all values of the box is a source of its own: both values are within its range.
#pragma once
#include <vector>

#include "numerics/expression/expression.h"
#include "numerics/expression/node_format.h"
#include "numerics/expression/span.h"

namespace hallmark::numerics {

class Sweep {
 public:
  Sweep(const Expression& expression, const ExpressionModel& model);

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

 private:
  Span value(std::size_t node, const std::vector<Span>& box);
  void round(std::size_t node, Span exact);
  void propagate(std::size_t node);
  enum class Three { no, yes, unknown };
  Three decide(int condition) const;
  double rounding_bound(std::size_t node, Span exact) const;

  const Expression& expression_;
  ExpressionModel model_;
  double call_ulps_;
  std::vector<Span> range_, adjoint_, constant_;
  std::vector<double> error_, contribution_, constant_error_;
  std::vector<Three> taken_;  // of choices
  std::vector<NodeFacts> facts_;
};

}  // namespace hallmark::numerics
