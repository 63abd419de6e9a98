#include "validator/symbolic/probe.h"

#include <algorithm>

#include "validator/symbolic/encode.h"
#include "validator/symbolic/example.h"

namespace hallmark::validator {

namespace {

// The encoder's variables at an instance of the facts.
std::vector<smt::Term> example_of(smt::Arena& arena, const std::vector<calculus::Term>& facts,
                                  const Encoder& encoder) {
  std::vector<calculus::Term> terms;
  for (const auto& [term, name] : encoder.variables()) terms.push_back(term);
  const auto values = find_example(facts, terms);
  if (!values) return {};
  std::vector<smt::Term> out;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string& name = encoder.variables()[i].second;
    if (terms[i]->sort == calculus::Sort::boolean())
      out.push_back(smt::equal(arena.variable(name, smt::Sort::boolean()), arena.boolean((*values)[i] != 0)));
    else
      out.push_back(smt::equal(arena.variable(name, smt::Sort::integer()), arena.integer((*values)[i])));
  }
  return out;
}

}  // namespace

smt::Query claim_query(smt::Arena& arena, const std::vector<calculus::Term>& facts, calculus::Term goal,
                       std::vector<std::pair<calculus::Term, std::string>>* variables, Products products,
                       bool with_example) {
  Encoder encoder(arena);
  smt::Query query;
  std::vector<smt::Term> hypotheses;
  for (calculus::Term fact : facts) hypotheses.push_back(encoder.encode(fact));
  query.goal = encoder.encode(goal);
  const Scope hint = Context::make(facts);
  for (smt::Term definition : encoder.definitions(products == Products::lemmas ? hint.get() : nullptr))
    query.hypotheses.push_back({"definition", definition});
  for (smt::Term hypothesis : hypotheses) query.hypotheses.push_back({"fact", hypothesis});
  if (with_example) query.example = example_of(arena, facts, encoder);
  if (variables != nullptr) *variables = encoder.variables();
  return query;
}

smt::Query claims_query(smt::Arena& arena, const std::vector<Claim>& claims, Products products) {
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
  return claim_query(arena, common, calculus::conjunction(goals), nullptr, products, true);
}

}  // namespace hallmark::validator
