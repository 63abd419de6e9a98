// Obligation INBOUNDS: every load that a term performs reads an element that exists, under the conditions on
// its path. Without it two sides could agree on reads outside their tensors, since the terms are total.
#pragma once
#include <string>
#include <vector>

#include "calculus/program.h"
#include "rules/oracle.h"
#include "rules/rule.h"

namespace hallmark::rules {

// Empty when every load is shown to be in bounds under the facts; otherwise what was not shown. `earlier` are
// the definitions that stand before the term; what they compute may be an index here.
std::string out_of_bounds(Term term, const std::vector<calculus::Declaration>& tensors,
                          const std::vector<calculus::Definition>& earlier, const Facts& facts,
                          Oracle& oracle);

}  // namespace hallmark::rules
