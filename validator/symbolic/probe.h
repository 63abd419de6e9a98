// A claim as a query.
#pragma once
#include "smt/query.h"
#include "validator/symbolic/prover.h"

namespace hallmark::validator {

// Facts and definitions as hypotheses, the goal as goal; `arena` must outlive the query. `variables` gets
// what each variable of the query stands for.
smt::Query claim_query(smt::Arena& arena, const std::vector<calculus::Term>& facts, calculus::Term goal,
                       const std::string& title = "",
                       std::vector<std::pair<calculus::Term, std::string>>* variables = nullptr);
// Many claims as one query: what all scopes have in common as hypotheses, the conjunction of `rest => goal`
// as goal.
smt::Query claims_query(smt::Arena& arena, const std::vector<Claim>& claims, const std::string& title);

}  // namespace hallmark::validator
