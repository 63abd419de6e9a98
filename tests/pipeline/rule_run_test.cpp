// Many rules at a time: the outcomes do not depend on the number of threads, on what ran before, or on the
// cache.
#include "pipeline/rule_run.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "bundle/obligation_json.h"

namespace hallmark::pipeline {
namespace {

std::vector<rules::RuleFamily> families() {
  std::vector<rules::RuleFamily> out = rules::load_rules({HALLMARK_SOURCE_DIR "/corpus/rules/movement.hm"});
  for (rules::RuleFamily& f : rules::load_rules({HALLMARK_SOURCE_DIR "/corpus/examples/rules/04-sums.hm"}))
    out.push_back(std::move(f));
  return out;
}

std::string text_of(const std::vector<RuleVerdict>& verdicts) {
  std::string out;
  for (const RuleVerdict& v : verdicts)
    out += canonical_json(bundle::obligation_json(v.obligation, "")) + "\n";
  return out;
}

TEST(RuleRun, GivesTheSameBytesWithOneThreadOrTwoAndInAnotherOrder) {
  RuleRunOptions one, two;
  one.jobs = 1;
  two.jobs = 2;
  const auto list = families();
  const auto first = prove_rules(list, one);
  EXPECT_EQ(text_of(first), text_of(prove_rules(list, two)));
  // A rule alone gives what it gives among others.
  EXPECT_EQ(text_of({first.back()}), text_of(prove_rules({list.back()}, one)));
}

TEST(RuleRun, TakesKnownVerdictsFromTheCacheAndSaysSo) {
  TemporaryFolder folder;
  RuleRunOptions options;
  options.cache = folder.path() + "/cache";
  const auto list = families();
  const auto fresh = prove_rules(list, options), cached = prove_rules(list, options);
  EXPECT_EQ(text_of(fresh), text_of(cached));
  for (const RuleVerdict& v : fresh) EXPECT_FALSE(v.cached) << v.obligation.id;
  for (const RuleVerdict& v : cached) EXPECT_TRUE(v.cached) << v.obligation.id;
  EXPECT_EQ(observations_of(cached).obligations.at(cached[0].obligation.id).origin, "cached");
  EXPECT_EQ(observations_of(fresh).obligations.at(cached[0].obligation.id).origin, "fresh");
  // A refuted rule's file that claims what a proved rule's says is solved again.
  std::string refuted, proved;
  for (const auto& entry : std::filesystem::directory_iterator(options.cache)) {
    if (entry.path().extension() != ".json") continue;
    (read_file(entry.path().string()).find("\"refuted\"") != std::string::npos ? refuted : proved) =
        entry.path().string();
  }
  ASSERT_FALSE(refuted.empty());
  write_file(refuted, read_file(proved));
  const auto again = prove_rules(list, options);
  EXPECT_EQ(text_of(fresh), text_of(again));
  EXPECT_EQ(std::count_if(again.begin(), again.end(), [](const RuleVerdict& v) { return !v.cached; }), 1);
}

TEST(RuleRun, AnotherChoiceOfSolversIsAnotherContext) {
  EXPECT_NE(rule_context({}), rule_context({"z3"}));
  EXPECT_EQ(rule_context({}), rule_context({}));
}

TEST(RuleRun, TheTableCountsEveryRule) {
  const std::string table = summary_table(prove_rules(families(), {}));
  EXPECT_NE(table.find("movement"), std::string::npos);
  EXPECT_NE(table.find("example"), std::string::npos);
  EXPECT_NE(table.find("queries closed by both solvers"), std::string::npos) << table;
}

}  // namespace
}  // namespace hallmark::pipeline
