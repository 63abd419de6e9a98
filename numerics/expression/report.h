// Bound, certificate check and witness of one expression, put together.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "numerics/expression/certificate.h"
#include "numerics/expression/point.h"
#include "numerics/expression/search.h"
#include "obligation/obligation.h"

namespace hallmark::numerics {

struct ExpressionReport {
  bool proved = false;  // the checker accepted the partition
  std::string reason;   // otherwise
  Rational bound;
  BoundResult search;
  CheckResult check;
  std::optional<ExpressionWitness> witness;
  // Against a tolerance: proved when the bound is within its absolute part; refuted when the witness
  // certainly leaves it; otherwise a gap.
  CheckResult tolerance_check;  // of a tolerance that the absolute bound alone does not prove
  std::optional<State> verdict;
  std::string verdict_text;
  double ratio = 0;  // bound / witness error; 0 without a witness
  // Contributions on the worst part, in percent, greatest first.
  std::vector<std::pair<std::string, double>> budget;
};

// Throws UserError E8109 when no input meets the precondition: a bound on nothing would be vacuous.
ExpressionReport bound_expression(const Expression& e, const ExpressionModel& model,
                                  const BoundOptions& options = {}, const WitnessSearch& witness = {});
std::string as_text(const Expression& e, const ExpressionModel& model, const ExpressionReport& report);
json::value as_json(const Expression& e, const ExpressionModel& model, const ExpressionReport& report);

}  // namespace hallmark::numerics
