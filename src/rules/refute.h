// Counterexamples to rules: sizes by increasing sum, small integer contents, both sides executed by the
// reference evaluator. No solver is asked, so a rule is tried here before it is put to one, and a refutation
// is always an execution.
#pragma once
#include <optional>

#include "obligation/obligation.h"
#include "rules/rule.h"

namespace hallmark::rules {

struct RefuteLimits {
  int largest_sum = 12;     // of the symbols above their least values
  int fillings = 2;         // contents for each assignment of sizes
  long evaluations = 2400;  // of both sides together
  // A value on one side where the other has none (a NaN or an infinity: the logarithm or root of a negative
  // number, a division by 0) is a difference. For rules that are not proved: the total model gives such
  // operations a value, so that a proof may rest on it.
  bool undefined_differs = false;
};

struct Trials {
  long instances = 0;  // executed without a difference
  std::optional<Witness> witness;
  // How the two sides were compared: "rationals", or "double" where a side has a transcendental operation.
  std::string arithmetic;
};

// The first instance on which the sides differ in shape, in an element, or in which a side reads outside a
// tensor. Instances are tried in a fixed order; elements of the tensors are set to 0 or 1 afterwards as long
// as the difference stays.
Trials try_instances(const Rule& rule, const RefuteLimits& limits = {});

}  // namespace hallmark::rules
