// A claim as a query.
#pragma once
#include "smt/query.h"
#include "validator/symbolic/prover.h"

namespace hallmark::validator {

// How much about products of unknowns a query is told. Most claims need little; what is not decided with
// little is asked again with all.
enum class Products { plain, lemmas };

// Facts and definitions as hypotheses, the goal as goal; `arena` must outlive the query. `variables` gets
// what each variable of the query stands for. No query has a title: the same question about another kernel is
// the same text, and is put once.
smt::Query claim_query(smt::Arena& arena, const std::vector<calculus::Term>& facts, calculus::Term goal,
                       std::vector<std::pair<calculus::Term, std::string>>* variables = nullptr,
                       Products products = Products::lemmas, bool with_example = false);
// Many claims as one query: what all scopes have in common as hypotheses, the conjunction of `rest => goal`
// as goal; with an example where one is found.
smt::Query claims_query(smt::Arena& arena, const std::vector<Claim>& claims,
                        Products products = Products::lemmas);

}  // namespace hallmark::validator
