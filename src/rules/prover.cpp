#include "rules/prover.h"

#include "base/error.h"
#include "rules/any_type.h"
#include "rules/reals.h"

namespace hallmark::rules {

using namespace calculus;

Facts facts_of(const Claim& claim) {
  Facts out;
  for (const SymbolRange& range : claim.symbols) {
    out.push_back(at_most(integer(range.low), symbol(range.name)));
    if (range.high) out.push_back(at_most(symbol(range.name), integer(*range.high)));
  }
  out.insert(out.end(), claim.requirements.begin(), claim.requirements.end());
  for (std::size_t d = 0; d < claim.extents.size(); ++d)
    out.push_back(in_range(axis(static_cast<int>(d)), claim.extents[d]));
  return out;
}

Equality prove_equal(const Claim& claim, Oracle& oracle) {
  Equality result;
  const Facts facts = facts_of(claim);
  if (same_operations(claim.left, claim.right, facts, oracle)) {
    result.shown = true;
    result.strength = "any-type";
    result.laws = {"EXT"};
    return result;
  }
  LawLog laws;
  const Context context{facts, oracle, laws};
  try {
    result.shown = equal_over_reals(claim.left, claim.right, context, result.failure);
  } catch (const Refusal& refusal) {
    // Not shown: the normal form does not cover this term.
    result.failure = refusal.message();
  }
  if (!result.shown) return result;
  result.strength = "reals";
  result.laws.assign(laws.begin(), laws.end());
  return result;
}

}  // namespace hallmark::rules
