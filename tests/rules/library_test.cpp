// The shipped rules are proved; wrong rules are refuted by execution and never proved; what repairs them is
// proved.
#include <gtest/gtest.h>

#include "rules/prove_rule.h"

namespace hallmark::rules {
namespace {

std::string here(const std::string& file) {
  return HALLMARK_SOURCE_DIR "/tests/rules/" + file;
}

TEST(Library, EveryShippedRuleIsProvedAndNamesItsSource) {
  smt::Portfolio portfolio;
#ifdef HALLMARK_WHOLE_LIBRARY
  const std::vector<RuleFamily> families = load_library({HALLMARK_SOURCE_DIR "/corpus/rules"});
#else
  const std::vector<RuleFamily> families = load_rules({HALLMARK_SOURCE_DIR "/corpus/rules"});
#endif
  EXPECT_GE(families.size(), 30u);
#ifdef HALLMARK_WHOLE_LIBRARY
  EXPECT_GE(families.size(), 350u);
#endif
  for (const RuleFamily& family : families) {
    const Obligation o = prove_family(family, portfolio);
    EXPECT_EQ(o.outcome.state, State::proved) << family.name << ": " << o.outcome.detail;
    EXPECT_FALSE(family.source.empty()) << family.name;
    check_well_formed(o);
  }
}

TEST(Library, WrongRulesAreRefutedByExecution) {
  smt::Portfolio portfolio;
  for (const RuleFamily& family : load_rules({here("wrong.hm")})) {
    const Obligation o = prove_family(family, portfolio);
    EXPECT_EQ(o.outcome.state, State::refuted) << family.name << ": " << o.outcome.detail;
    if (o.outcome.state != State::refuted) continue;
    EXPECT_EQ(o.outcome.witness->executed_by, "evaluator");
    EXPECT_FALSE(o.outcome.witness->bindings.empty() &&
                 family.name != "wrong/divide-then-multiply-in-a-remainder")
        << family.name;
  }
}

// The prover by itself, without the executions that come first: it must not be talked into a wrong rule
// either.
TEST(Library, TheArgumentAloneProvesNoWrongRule) {
  smt::Portfolio portfolio;
  for (const RuleFamily& family : load_rules({here("wrong.hm")})) {
    bool all = true;
    for (const Rule& instance : family.instances)
      all = all && prove_instance(instance, portfolio).outcome.state == State::proved;
    EXPECT_FALSE(all) << family.name;
  }
}

TEST(Library, RepairedRulesAreProved) {
  smt::Portfolio portfolio;
  for (const RuleFamily& family : load_rules({here("repaired.hm")})) {
    const Obligation o = prove_family(family, portfolio);
    EXPECT_EQ(o.outcome.state, State::proved) << family.name << ": " << o.outcome.detail;
  }
}

}  // namespace
}  // namespace hallmark::rules
