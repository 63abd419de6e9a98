// Both models on small inputs by the reference evaluator: the least instance on which an output differs, and
// values by which tensors of the two models are paired.
//
// Sizes by increasing sum, contents in {-2..2}, once in {-2..2} / 1024 (an epsilon shows only beside small
// numbers), once thirds of them in single precision (a rounding to a shorter format shows), once {-192..192}
// (saturation shows); inside the
// contract's boxes where there is a contract. Integer inputs stay inside what indices demand.
//
// Without an elementary function both sides are evaluated in rationals and any difference counts. In doubles
// a difference counts above `noise` of the greater magnitude, unless enclosures of both values deny it
// (rules/enclosure.h). Where the second model stores constants that
// are roundings of what the first computes, only differences above `rounding` count; smaller ones are
// reported as such.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/pair.h"
#include "evaluator/evaluator.h"
#include "obligation/obligation.h"

namespace hallmark::compare {

struct Inputs {
  evaluator::Symbols symbols;
  std::map<std::string, std::vector<std::int64_t>> extents;
  std::map<std::string, std::vector<double>> contents;  // doubles that are exact in the input's format
};

struct Executed {
  long instances = 0;  // on which every output was compared
  // By output: what differs, executed.
  std::map<std::string, Witness> witnesses;
  // The greatest difference that was put down to rounded constants, relative to 1 or the magnitude.
  double unexplained = 0;
  std::string arithmetic;
};

struct ExecuteOptions {
  bool rounded_constants = false;  // the second model's own constants may be roundings
  long instances = 160;
};

Executed execute(const Pair& pair, const ExecuteOptions& options);

// Every tensor's values, in doubles, on a few instances one after another: tensors that are equal have equal
// fingerprints. Empty where no instance could be executed.
std::map<std::string, std::vector<double>> fingerprints(const Pair& pair);

}  // namespace hallmark::compare
