#include "numerics/expression/node_format.h"

#include "base/error.h"
#include "contract/format_values.h"
#include "numerics/expression/library_function.h"
#include "numerics/rounding.h"

namespace hallmark::numerics {

using calculus::Format;

std::optional<Rational> exact_number(const std::vector<ExpressionNode>& nodes, int node,
                                     ExactNumbers& known) {
  if (const auto found = known.find(node); found != known.end()) return found->second;
  const ExpressionNode& n = nodes[static_cast<std::size_t>(node)];
  std::optional<Rational> value;
  if (n.operation == Operation::constant && n.constant.empty()) value = n.value;
  const bool arithmetic = n.operation == Operation::add || n.operation == Operation::sub ||
                          n.operation == Operation::mul || n.operation == Operation::neg;
  std::vector<Rational> c;
  for (std::size_t k = 0; arithmetic && k < n.children.size(); ++k)
    if (const auto part = exact_number(nodes, n.children[k], known); part) c.push_back(*part);
  if (arithmetic && c.size() == n.children.size()) {
    if (n.operation == Operation::add) value = c[0] + c[1];
    if (n.operation == Operation::sub) value = c[0] - c[1];
    if (n.operation == Operation::mul) value = c[0] * c[1];
    if (n.operation == Operation::neg) value = -c[0];
  }
  if (value && n.rounding &&
      !(abs(*value) <= contract::largest_value(*n.rounding) &&
        contract::round_down(*value, *n.rounding) == *value))
    value.reset();
  return known[node] = value;
}

std::optional<Format> held_format(const Expression& e, const ExpressionModel& model, int node) {
  const ExpressionNode& n = e.nodes[static_cast<std::size_t>(node)];
  const auto child = [&](std::size_t i) { return held_format(e, model, n.children[i]); };
  switch (n.operation) {
    case Operation::variable:
      return n.rounding && (model.inputs_rounded ||
                            *n.rounding == e.inputs[static_cast<std::size_t>(n.variable)].format)
                 ? n.rounding
                 : std::nullopt;
    case Operation::neg:
    case Operation::abs:
      return child(0);
    case Operation::min:
    case Operation::max:
    case Operation::choose:
      return child(0) == child(1) ? child(0) : std::nullopt;
    default:
      return n.rounding;
  }
}

bool is_power_of_two(const Expression& e, int node) {
  const ExpressionNode& n = e.nodes[static_cast<std::size_t>(node)];
  if (n.operation == Operation::neg) return is_power_of_two(e, n.children[0]);
  if (n.operation != Operation::constant || !n.constant.empty() || n.value == 0) return false;
  return abs(n.value) == contract::power_of_two_rational(contract::binary_exponent(n.value)) &&
         rounded_constant(n) == n.value;
}

bool only_scales(const Expression& e, const ExpressionModel& model, int node) {
  const ExpressionNode& n = e.nodes[static_cast<std::size_t>(node)];
  const auto scaled = [&](std::size_t value, std::size_t factor) {
    return is_power_of_two(e, n.children[factor]) && held_format(e, model, n.children[value]) == n.rounding;
  };
  if (!n.rounding) return false;
  if (n.operation == Operation::mul) return scaled(0, 1) || scaled(1, 0);
  return n.operation == Operation::div && scaled(0, 1);
}

bool sterbenz_candidate(const Expression& e, const ExpressionModel& model, int node) {
  const ExpressionNode& n = e.nodes[static_cast<std::size_t>(node)];
  return n.operation == Operation::sub && n.rounding && held_format(e, model, n.children[0]) == n.rounding &&
         held_format(e, model, n.children[1]) == n.rounding;
}

std::optional<Rational> rounded_constant(const ExpressionNode& node) {
  if (!node.rounding) return node.value;
  const RoundingModel model{*node.rounding, node.direction, false};
  // A number close to the middle of two values takes more bits than most.
  for (mpfr_prec_t bits = 256; bits <= 1 << 20; bits *= 8) {
    const Interval exact =
        node.constant.empty() ? Interval(node.value, bits) : named_constant(node.constant, bits);
    const MaybeInterval rounded = round_to_format(exact, model);
    if (!rounded) return std::nullopt;
    if (rounded->is_point()) return rounded->exact_low();
  }
  throw Refusal("E8108", "the rounding of the constant " + node.text + " takes too many bits");
}

std::vector<NodeFacts> node_facts(const Expression& e, const ExpressionModel& model) {
  std::vector<NodeFacts> out(e.nodes.size());
  ExactNumbers numbers;
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    const ExpressionNode& n = e.nodes[i];
    NodeFacts& f = out[i];
    const int node = static_cast<int>(i);
    if (n.operation == Operation::constant) f.constant = rounded_constant(n);
    if (n.operation == Operation::pow) f.exponent = integer_exponent(e, n);
    f.rounds = n.rounding.has_value();
    if (!n.rounding) continue;
    if (n.operation == Operation::variable && !model.inputs_rounded &&
        held_format(e, model, node) == n.rounding)
      f.rounds = false;
    // What is converted to the format that it has, and its integer part, are values of the format.
    if ((n.operation == Operation::cast || is_step(n.operation)) &&
        held_format(e, model, n.children[0]) == n.rounding)
      f.rounds = false;
    if (n.operation != Operation::constant && exact_number(e.nodes, node, numbers)) f.rounds = false;
    f.only_scales = only_scales(e, model, node);
    f.sterbenz = sterbenz_candidate(e, model, node);
    f.precision = static_cast<int>(calculus::significand_bits(*n.rounding));
    f.minimum_exponent = calculus::minimum_exponent(*n.rounding);
    f.largest = contract::largest_value(*n.rounding).get_d();
  }
  return out;
}

std::optional<long> integer_exponent(const Expression& e, const ExpressionNode& pow) {
  const ExpressionNode& n = e.nodes[static_cast<std::size_t>(pow.children[1])];
  if (n.operation != Operation::constant || !n.constant.empty() || n.value.get_den() != 1 ||
      abs(n.value) > 64 || rounded_constant(n) != n.value)
    return std::nullopt;
  return n.value.get_num().get_si();
}

}  // namespace hallmark::numerics
