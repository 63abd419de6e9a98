// Numbers without inputs in an expression that is being read: what they are over the reals, and what is
// computed of them. Loops and indices rest on them.
#pragma once
#include <map>
#include <optional>

#include "numerics/expression/expression.h"

namespace hallmark::numerics {

class KnownNumbers {
 public:
  // Nodes may be added to the expression later; none may change.
  explicit KnownNumbers(const Expression& e) : e_(e) {}

  struct Number {
    Rational exact, computed;
  };
  // Nothing for what has an input in it, a call, a named constant, a division by 0, an overflow, or a number
  // of thousands of digits.
  std::optional<Number> number(int node);
  // Whether a condition holds, if that is known and the same for what is computed.
  std::optional<bool> decided(int condition);
  // The same of exact (or computed) numbers alone.
  std::optional<bool> holds(int condition, const Rational Number::*of);

 private:
  const Expression& e_;
  std::map<int, std::optional<Number>> known_;
};

}  // namespace hallmark::numerics
