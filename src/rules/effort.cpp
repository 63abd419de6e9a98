#include "rules/effort.h"

namespace hallmark::rules {

smt::PortfolioOptions solvers_for_rules() {
  smt::PortfolioOptions out;
  out.budget = out.attempt_budget;
  out.budget.wall = std::chrono::milliseconds(3'000);
  out.probe_budget.wall = std::chrono::milliseconds(2'000);
  return out;
}

}  // namespace hallmark::rules
