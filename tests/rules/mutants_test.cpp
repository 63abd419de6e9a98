// Every family of shipped rules with wrong versions of its rules: what an execution on small instances shows
// to be wrong is refuted with an executed witness, and never proved, by the argument alone neither.
#include "mutants.h"

#include <gtest/gtest.h>

#include "rules/prove_rule.h"
#include "small_oracle.h"

namespace hallmark::rules {
namespace {

bool is_wrong(const RuleFamily& family) {
  for (std::size_t i = 0; i < family.instances.size(); ++i) {
    bool small = true;
    for (int r : family.ranks[i]) small = small && r <= 1;
    if (small && testing::SmallOracle(family.instances[i], 200).wrong()) return true;
  }
  return false;
}

struct Count {
  int wrong = 0, judged = 0;
};

// Mutants of one rule, spread over its text; those whose text no longer reads as a rule are no mutants.
void judge(const RuleFamily& family, std::size_t most, smt::Portfolio& portfolio, Count& count) {
  std::vector<std::pair<std::string, RuleFamily>> mutants;
  for (const auto& [what, text] : testing::mutants_of(family.text)) {
    try {
      mutants.emplace_back(what, parse_rules("hallmark 1\n" + text, family.name).at(0));
    } catch (const UserError&) {
    }
  }
  const std::size_t step = std::max<std::size_t>(1, mutants.size() / most);
  for (std::size_t m = 0; m < mutants.size(); m += step) {
    const auto& [what, mutant] = mutants[m];
    ++count.judged;
    if (!is_wrong(mutant)) continue;
    ++count.wrong;
    const Obligation o = prove_family(mutant, portfolio);
    EXPECT_EQ(o.outcome.state, State::refuted) << what << "\n"
                                               << mutant.text << o.outcome.detail;
    if (o.outcome.state != State::refuted) continue;
    EXPECT_EQ(o.outcome.witness->executed_by, "evaluator");
    // Both sides may read outside, which is no equality either.
    EXPECT_TRUE(o.outcome.witness->expected != o.outcome.witness->actual ||
                o.outcome.witness->actual == "a read outside a tensor");
#ifdef HALLMARK_EVERY_MUTANT
    bool all = true;
    for (const Rule& instance : mutant.instances)
      all = all && prove_instance(instance, portfolio).outcome.state == State::proved;
    EXPECT_FALSE(all) << "the argument alone proves " << mutant.text;
#endif
  }
}

TEST(Mutants, WhatExecutionShowsToBeWrongIsRefuted) {
#ifdef HALLMARK_EVERY_MUTANT
  const std::size_t of_a_rule = 24;
#else
  const std::size_t of_a_rule = 2;
#endif
  smt::Portfolio portfolio;
  std::map<std::string, std::vector<RuleFamily>> files;
  for (RuleFamily& family : load_library({HALLMARK_SOURCE_DIR "/corpus/rules"}))
    files[family.where.file].push_back(std::move(family));
  Count all;
  for (const auto& [file, families] : files) {
    Count count;
    // A file of few rules gets more mutants of each.
    const std::size_t each = std::max(of_a_rule, 30 / families.size() + 1);
#ifdef HALLMARK_EVERY_MUTANT
    const std::size_t skip = 1;
    const int enough = 1 << 30;
#else
    const std::size_t skip = std::max<std::size_t>(1, families.size() / 12);
    const int enough = 12;
#endif
    for (std::size_t i = 0; i < families.size() && count.wrong < enough; i += skip)
      judge(families[i], each, portfolio, count);
    // Ten mutants at least of every file; small instances show most of them wrong, of large windows only some.
    EXPECT_GE(count.judged, 10) << file;
    EXPECT_GE(count.wrong, 3) << file << ": of " << count.judged;
    all.wrong += count.wrong;
    all.judged += count.judged;
  }
  RecordProperty("wrong", all.wrong);
  RecordProperty("judged", all.judged);
  std::printf("%d mutants, %d of them shown wrong by execution\n", all.judged, all.wrong);
}

}  // namespace
}  // namespace hallmark::rules
