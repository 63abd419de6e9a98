// Inputs built for the sums of a formulation: one input holds factors whose sum errs in one direction
// (adverse_sum.h), the others are constant.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "calculus/program.h"
#include "numerics/patterns.h"
#include "numerics/reference.h"

namespace hallmark::numerics {

struct NamedPoint {
  std::string origin;
  Point point;
};

// `base`: sizes, and inputs of the right extents. In the order of the definitions, then of the inputs.
std::vector<NamedPoint> adverse_points(const calculus::Program& formulation, const Point& base,
                                       const std::vector<std::pair<std::string, Box>>& boxes);

}  // namespace hallmark::numerics
