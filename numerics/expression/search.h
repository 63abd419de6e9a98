// The bound of an expression by best-first bisection of its input box.
#pragma once
#include "numerics/expression/certificate.h"
#include "numerics/expression/goal.h"
#include "numerics/expression/sweep.h"

namespace hallmark::numerics {

struct BoundOptions {
  std::size_t evaluations = 8'000;  // of boxes; the only budget, so that the result does not depend on time
  // Goes on, up to five times as far, as long as every half of the budget lowers the bound by 0.3 % (1.5 %
  // once it is within 5 % of the value at a point, and then twice as far in any case where library functions
  // are called).
  bool extend = false;
  // Done when the bound is at most (1 + gap) times the greatest value of the same sum at a single point.
  double gap = 0.004;
};

struct BoundResult {
  Partition partition;
  double bound = 0;      // infinite when no bound was found
  double at_points = 0;  // the greatest value of the sum at a point: no partition gives less
  std::size_t evaluations = 0, leaves = 0;
  bool exhausted = false;
  int blamed = -1;  // the node whose operation has no value, when the bound is infinite
  // Boxes with the greatest bounds: where to look for a witness.
  std::vector<std::vector<Span>> worst;
  // The contribution of each node on the worst box.
  std::vector<double> contributions;
};

BoundResult search_bound(const Expression& expression, const ExpressionModel& model,
                         const BoundOptions& options = {}, const Goal& goal = {});

}  // namespace hallmark::numerics
