// What the solvers may spend on one question about a rule, so that a rule has its verdict within seconds.
// Measured on the shipped rules: no answer took more than a second of a processor. Solvers count no units for
// some steps of nonlinear arithmetic over the reals (numbers that grow), and there the limit of time makes an
// end; a solver that gets less of a processor than that is waited for (smt/child.h).
#pragma once
#include "smt/portfolio.h"

namespace hallmark::rules {

smt::PortfolioOptions solvers_for_rules();

}  // namespace hallmark::rules
