#include "validator/symbolic/probe.h"

#include "validator/symbolic/encode.h"

namespace hallmark::validator {

smt::Query claim_query(smt::Arena& arena, const std::vector<calculus::Term>& facts, calculus::Term goal,
                       const std::string& title) {
  Encoder encoder(arena);
  smt::Query query;
  query.title = title;
  std::vector<smt::Term> hypotheses;
  for (calculus::Term fact : facts) hypotheses.push_back(encoder.encode(fact));
  query.goal = encoder.encode(goal);
  for (smt::Term definition : encoder.definitions()) query.hypotheses.push_back({"definition", definition});
  for (smt::Term hypothesis : hypotheses) query.hypotheses.push_back({"fact", hypothesis});
  return query;
}

}  // namespace hallmark::validator
