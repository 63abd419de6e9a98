#include "numerics/expression/known_numbers.h"

#include <vector>

#include "numerics/expression/node_format.h"

namespace hallmark::numerics {

std::optional<KnownNumbers::Number> KnownNumbers::number(int node) {
  if (const auto found = known_.find(node); found != known_.end()) return found->second;
  const ExpressionNode& n = e_.nodes[static_cast<std::size_t>(node)];
  std::optional<Number> out;
  std::vector<Number> c;
  const bool arithmetic = n.operation == Operation::add || n.operation == Operation::sub ||
                          n.operation == Operation::mul || n.operation == Operation::div ||
                          n.operation == Operation::neg;
  for (std::size_t k = 0; arithmetic && k < n.children.size(); ++k)
    if (const auto part = number(n.children[k]); part) c.push_back(*part);
  const bool by_zero =
      n.operation == Operation::div && c.size() == 2 && (c[1].exact == 0 || c[1].computed == 0);
  if (n.operation == Operation::constant && n.constant.empty()) {
    if (const auto computed = rounded_constant(n); computed) out = Number{n.value, *computed};
  } else if (arithmetic && c.size() == n.children.size() && !by_zero) {
    const auto value = [&](const Rational Number::*of) -> Rational {
      if (n.operation == Operation::neg) return -(c[0].*of);
      if (n.operation == Operation::add) return c[0].*of + c[1].*of;
      if (n.operation == Operation::sub) return c[0].*of - c[1].*of;
      return n.operation == Operation::mul ? Rational(c[0].*of * c[1].*of) : Rational(c[0].*of / c[1].*of);
    };
    ExpressionNode result;
    result.operation = Operation::constant;
    result.rounding = n.rounding;
    result.direction = n.direction;
    result.value = value(&Number::computed);
    // Numbers that grow with each step of a loop are not followed without end.
    const Rational exact = value(&Number::exact);
    if (mpz_sizeinbase(exact.get_den_mpz_t(), 2) < 4000 && mpz_sizeinbase(exact.get_num_mpz_t(), 2) < 4000)
      if (const auto computed = rounded_constant(result); computed) out = Number{exact, *computed};
  }
  return known_[node] = out;
}
std::optional<bool> KnownNumbers::decided(int condition) {
  const auto exact = holds(condition, &Number::exact), computed = holds(condition, &Number::computed);
  return exact && computed && *exact == *computed ? exact : std::nullopt;
}
std::optional<bool> KnownNumbers::holds(int condition, const Rational Number::*of) {
  const Condition& c = e_.conditions[static_cast<std::size_t>(condition)];
  if (c.left >= 0) {
    const auto left = number(c.left), right = number(c.right);
    if (!left || !right) return std::nullopt;
    const Rational &x = (*left).*of, &y = (*right).*of;
    if (c.kind == Condition::Kind::less) return x < y;
    return c.kind == Condition::Kind::at_most ? x <= y : x == y;
  }
  if (c.kind == Condition::Kind::truth) return c.truth;
  bool all = true, some = false;
  for (const int child : c.children) {
    const auto one = holds(child, of);
    if (!one) return std::nullopt;
    all = all && *one;
    some = some || *one;
  }
  if (c.kind == Condition::Kind::negation) return !some;
  return c.kind == Condition::Kind::conjunction ? all : some;
}

}  // namespace hallmark::numerics
