// The certificate of a bound: a partition of the input box by bisection, and its checker.
//
// The checker shares nothing with the search (search.h) but the expression: it walks the tree of splits from
// the whole box, so that nothing can be left out, and computes the bound of every leaf anew with MPFI
// (outward rounding, 63 bits). A leaf that claims to hold no admissible point must violate the precondition
// certainly.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "numerics/expression/expression.h"
#include "numerics/expression/goal.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

struct Partition {
  struct Node {
    int variable = -1;  // -1: a leaf
    double at = 0;      // the part below and the part above share this plane
    int below = -1, above = -1;
    bool excluded = false;  // of a leaf
  };
  std::vector<Node> nodes;  // the first is the whole box
};

struct CheckResult {
  bool holds = false;
  std::size_t leaves = 0, excluded = 0;
  std::string failure;  // what does not hold
  // The greatest bound over the leaves: what is proved, also when the claim was less. Absent when a leaf has
  // none or the tree is not one.
  std::optional<Interval> bound;
};

// Whether |computed - exact| <= claimed on the whole box. All numbers are checked with outward rounding.
// With a goal: the distance from the specification, and as a multiple of the goal's tolerance, claimed to be
// at most `claimed` of it.
CheckResult check_certificate(const Expression& e, const ExpressionModel& model, const Partition& partition,
                              const Rational& claimed, const Goal& goal = {});

}  // namespace hallmark::numerics
