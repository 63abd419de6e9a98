// What is known about the values of nodes without looking at ranges. Used by the search and by the checker.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "numerics/expression/expression.h"

namespace hallmark::numerics {

// The value of a node that has no input in it and that no rounding changes: sums, differences and products of
// numbers that their formats hold. `known` remembers.
using ExactNumbers = std::map<int, std::optional<Rational>>;
std::optional<Rational> exact_number(const std::vector<ExpressionNode>& nodes, int node, ExactNumbers& known);
// The format of which an executed value of the node is certainly a member.
std::optional<calculus::Format> held_format(const Expression& e, const ExpressionModel& model, int node);
// Whether the node is a constant +-2^k.
bool is_power_of_two(const Expression& e, int node);
// A product with, or a quotient by, a power of two of a value that has the result's format: exact unless the
// result is subnormal.
bool only_scales(const Expression& e, const ExpressionModel& model, int node);
// A difference whose operands have the result's format, so that Sterbenz' lemma applies where the ranges
// allow.
bool sterbenz_candidate(const Expression& e, const ExpressionModel& model, int node);
// The value of a constant in its format, rounded to nearest (or as directed); nothing for an overflow. A
// named constant is rounded from an enclosure narrow enough to decide.
std::optional<Rational> rounded_constant(const ExpressionNode& node);
// What does not depend on ranges, once per node.
struct NodeFacts {
  bool rounds = true;  // false: the result is exact whatever the operands
  bool only_scales = false, sterbenz = false;
  int precision = 0, minimum_exponent = 0;
  double largest = 0;                // finite value of the format
  std::optional<Rational> constant;  // as stored
  std::optional<long> exponent;      // of pow
};
std::vector<NodeFacts> node_facts(const Expression& e, const ExpressionModel& model);
// The exponent of pow where it is an integer constant of small size.
std::optional<long> integer_exponent(const Expression& e, const ExpressionNode& pow);

}  // namespace hallmark::numerics
