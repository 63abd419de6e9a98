// A claim as a query.
#pragma once
#include "smt/query.h"
#include "validator/symbolic/prover.h"

namespace hallmark::validator {

// Facts and definitions as hypotheses, the goal as goal; `arena` must outlive the query.
smt::Query claim_query(smt::Arena& arena, const std::vector<calculus::Term>& facts, calculus::Term goal,
                       const std::string& title = "");

}  // namespace hallmark::validator
