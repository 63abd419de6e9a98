// Wrong rules of many kinds, each with a right one beside it: what differs is executed, what holds is proved.
#include <gtest/gtest.h>

#include "rules/effort.h"
#include "rules/prove_rule.h"

namespace hallmark::rules {
namespace {

bool is_wrong(const RuleFamily& family) {
  return family.name.rfind("wrong/", 0) == 0;
}

const std::vector<RuleFamily>& kinds() {
  static const std::vector<RuleFamily> all = load_rules({HALLMARK_SOURCE_DIR "/tests/rules/kinds.hm"});
  return all;
}

TEST(Kinds, WrongRulesAreRefutedAndRightOnesProved) {
  smt::Portfolio portfolio(solvers_for_rules());
  std::size_t wrong = 0;
  for (const RuleFamily& family : kinds()) {
    const Obligation o = prove_family(family, portfolio);
    wrong += is_wrong(family) ? 1 : 0;
    EXPECT_EQ(o.outcome.state, is_wrong(family) ? State::refuted : State::proved)
        << family.name << ": " << o.outcome.detail;
    if (o.outcome.state == State::refuted) {
      EXPECT_EQ(o.outcome.witness->executed_by, "evaluator");
    }
  }
  EXPECT_GE(wrong, 100u);
  EXPECT_GE(kinds().size() - wrong, 40u);
}

// Nor is the prover by itself talked into a wrong one.
TEST(Kinds, TheArgumentAloneProvesNoWrongRule) {
  smt::Portfolio portfolio(solvers_for_rules());
  for (const RuleFamily& family : kinds()) {
    if (!is_wrong(family)) continue;
    bool all = true;
    for (const Rule& instance : family.instances)
      all = all && prove_instance(instance, portfolio).outcome.state == State::proved;
    EXPECT_FALSE(all) << family.name;
  }
}

}  // namespace
}  // namespace hallmark::rules
