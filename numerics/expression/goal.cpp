#include "numerics/expression/goal.h"

#include <fmt/format.h>

#include <map>
#include <string>

#include "numerics/expression/real_form.h"

namespace hallmark::numerics {

namespace {

// Nodes over the reals, each value once: what both sides have in common is one node, so that its slope is the
// difference of theirs.
class RealNodes {
 public:
  RealNodes(const Expression& from, Expression& to) : from_(from), to_(to) {
    to_.nodes.clear();
    for (const ExpressionNode& node : from.nodes) renamed_.push_back(read(node));
    for (Condition& c : to_.conditions) {
      if (c.left < 0) continue;
      c.left = at(c.left);
      c.right = at(c.right);
    }
  }
  int at(int node) const { return renamed_[static_cast<std::size_t>(node)]; }

 private:
  int read(ExpressionNode node) {
    node.rounding.reset();
    node.direction = calculus::Rounding::nearest;
    for (int& child : node.children) child = at(child);
    // atan2(y, x) = atan(y / x) for x > 0.
    if (node.operation == Operation::atan2 && is_positive_input(node.children[1])) {
      ExpressionNode quotient = node;
      quotient.operation = Operation::div;
      node.operation = Operation::atan;
      node.children = {keep(quotient)};
    }
    return keep(node);
  }
  bool is_positive_input(int node) const {
    const ExpressionNode& n = to_.nodes[static_cast<std::size_t>(node)];
    return n.operation == Operation::variable && from_.inputs[static_cast<std::size_t>(n.variable)].low > 0;
  }
  int keep(const ExpressionNode& node) {
    std::string key = fmt::format("{} {} {} {} {}", static_cast<int>(node.operation), node.variable,
                                  node.value.get_str(), node.constant, node.condition);
    for (const int child : node.children) key += fmt::format(" {}", child);
    const auto [found, fresh] = known_.emplace(key, static_cast<int>(to_.nodes.size()));
    if (fresh) to_.nodes.push_back(node);
    return found->second;
  }

  const Expression& from_;
  Expression& to_;
  std::vector<int> renamed_;
  std::map<std::string, int> known_;
};

}  // namespace

std::optional<Difference> difference_from_specification(const Expression& e) {
  if (e.specification < 0) return std::nullopt;
  Difference out;
  out.expression = e;
  const RealNodes nodes(e, out.expression);
  out.specification = nodes.at(e.specification);
  ExpressionNode less;
  less.operation = Operation::sub;
  less.children = {nodes.at(e.root), out.specification};
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
