#include "validator/symbolic/probe.h"

#include <algorithm>

#include "validator/symbolic/encode.h"

namespace hallmark::validator {

smt::Query claim_query(smt::Arena& arena, const std::vector<calculus::Term>& facts, calculus::Term goal,
                       const std::string& title,
                       std::vector<std::pair<calculus::Term, std::string>>* variables, Products products) {
  Encoder encoder(arena);
  smt::Query query;
  query.title = title;
  std::vector<smt::Term> hypotheses;
  for (calculus::Term fact : facts) hypotheses.push_back(encoder.encode(fact));
  query.goal = encoder.encode(goal);
  const Scope hint = Context::make(facts);
  for (smt::Term definition : encoder.definitions(products == Products::lemmas ? hint.get() : nullptr))
    query.hypotheses.push_back({"definition", definition});
  for (smt::Term hypothesis : hypotheses) query.hypotheses.push_back({"fact", hypothesis});
  if (variables != nullptr) *variables = encoder.variables();
  return query;
}

smt::Query claims_query(smt::Arena& arena, const std::vector<Claim>& claims, const std::string& title,
                        Products products) {
  std::vector<calculus::Term> common = claims.at(0).scope->facts();
  for (const Claim& claim : claims)
    std::erase_if(common, [&](calculus::Term fact) { return !claim.scope->knows(fact); });
  std::vector<calculus::Term> goals;
  for (const Claim& claim : claims) {
    std::vector<calculus::Term> rest;
    for (calculus::Term fact : claim.scope->facts())
      if (std::find(common.begin(), common.end(), fact) == common.end()) rest.push_back(fact);
    goals.push_back(calculus::either(calculus::negation(calculus::conjunction(rest)), claim.goal));
  }
  return claim_query(arena, common, calculus::conjunction(goals), title, nullptr, products);
}

}  // namespace hallmark::validator
