// Shared by tests of expressions: an expression against a tolerance.
#pragma once
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"
#include "support.h"

namespace hallmark::numerics::testing {

// Of inputs that are values of their format.
inline ExpressionReport judged(const std::string& fpcore, const contract::Tolerance& tolerance,
                               std::size_t evaluations, std::size_t samples) {
  ExpressionModel model;
  model.inputs_rounded = false;
  WitnessSearch search;
  search.samples = samples;
  search.tolerance = tolerance;
  BoundOptions options;
  options.evaluations = evaluations;
  return bound_expression(read_fpcores(fpcore, "t.fpcore").at(0), model, options, search);
}

inline contract::Tolerance absolute(const Rational& x) {
  contract::Tolerance out;
  out.absolute = x;
  return out;
}
// `least`: an absolute part beside it.
inline contract::Tolerance relative(const Rational& x, const Rational& least = 0) {
  contract::Tolerance out;
  out.relative = x;
  if (least > 0) out.absolute = least;
  return out;
}
inline contract::Tolerance units(const Rational& x) {
  contract::Tolerance out;
  out.ulp = x;
  return out;
}

}  // namespace hallmark::numerics::testing
