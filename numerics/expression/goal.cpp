#include "numerics/expression/goal.h"

#include "numerics/expression/real_form.h"

namespace hallmark::numerics {

std::optional<Difference> difference_from_specification(const Expression& e) {
  if (e.specification < 0) return std::nullopt;
  Difference out;
  out.expression = e;
  // One reading of each input for both sides.
  std::vector<int> first(e.inputs.size(), -1);
  for (std::size_t i = 0; i < out.expression.nodes.size(); ++i) {
    ExpressionNode& node = out.expression.nodes[i];
    node.rounding.reset();
    if (node.operation != Operation::variable) continue;
    int& known = first[static_cast<std::size_t>(node.variable)];
    if (known < 0) known = static_cast<int>(i);
  }
  for (ExpressionNode& node : out.expression.nodes)
    for (int& child : node.children) {
      const ExpressionNode& target = out.expression.nodes[static_cast<std::size_t>(child)];
      if (target.operation == Operation::variable) child = first[static_cast<std::size_t>(target.variable)];
    }
  const auto reading = [&](int root) {
    const ExpressionNode& node = out.expression.nodes[static_cast<std::size_t>(root)];
    return node.operation == Operation::variable ? first[static_cast<std::size_t>(node.variable)] : root;
  };
  out.specification = reading(e.specification);
  ExpressionNode less;
  less.operation = Operation::sub;
  less.children = {reading(e.root), out.specification};
  less.text = "difference from :spec";
  out.expression.nodes.push_back(less);
  out.expression.root = static_cast<int>(out.expression.nodes.size()) - 1;
  out.expression.specification = -1;
  return out;
}

bool is_identical(const Difference& difference) {
  const Expression& e = difference.expression;
  const ExpressionNode& less = e.nodes[static_cast<std::size_t>(e.root)];
  return same_over_the_reals(e, less.children[0], less.children[1]);
}

}  // namespace hallmark::numerics
