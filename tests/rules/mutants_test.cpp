// Every family of shipped rules, and rules of the tests, with wrong versions: what an execution on small
// instances shows to be wrong is refuted with an executed witness, and never proved, by the argument alone
// neither.
#include "mutants.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "rules/effort.h"
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
    SCOPED_TRACE(what + " in\n" + mutant.text);
    ++count.judged;
    if (!is_wrong(mutant)) continue;
    ++count.wrong;
    const Obligation o = prove_family(mutant, portfolio);
    EXPECT_EQ(o.outcome.state, State::refuted) << what << "\n" << mutant.text << o.outcome.detail;
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

const std::map<std::string, std::vector<RuleFamily>>& files() {
  static const auto all = [] {
    std::map<std::string, std::vector<RuleFamily>> parts, out;
    for (RuleFamily& family : load_library({HALLMARK_SOURCE_DIR "/corpus/rules"}))
      parts[family.where.file].push_back(std::move(family));
    // So with the right ones among the kinds of mistakes: laws that no shipped rule needs.
    for (RuleFamily& family : load_rules({HALLMARK_SOURCE_DIR "/tests/rules/kinds.hm"}))
      if (family.name.rfind("right/", 0) == 0) parts[family.where.file].push_back(std::move(family));
    // The rules of another system stand in one file, and are more than all of any other.
    constexpr std::size_t most = 40;
    for (auto& [file, families] : parts)
      for (std::size_t i = 0; i < families.size(); ++i) {
        const std::size_t part = i * ((families.size() + most - 1) / most) / families.size();
        out[file + (part == 0 ? "" : fmt::format(".{}", part + 1))].push_back(std::move(families[i]));
      }
    return out;
  }();
  return all;
}

// A test of its own for each file, or part of a long one, so that they can be run side by side and none is as
// long as all.
std::vector<std::string> file_names() {
  std::vector<std::string> out;
  for (const auto& [file, families] : files()) out.push_back(file);
  return out;
}

class Mutants : public ::testing::TestWithParam<std::string> {};

TEST_P(Mutants, WhatExecutionShowsToBeWrongIsRefuted) {
#ifdef HALLMARK_EVERY_MUTANT
  const std::size_t of_a_rule = 24;
#else
  const std::size_t of_a_rule = 2;
#endif
  smt::Portfolio portfolio(solvers_for_rules());
  const std::vector<RuleFamily>& families = files().at(GetParam());
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
  EXPECT_GE(count.judged, 10);
  EXPECT_GE(count.wrong, 3) << "of " << count.judged;
  RecordProperty("wrong", count.wrong);
  RecordProperty("judged", count.judged);
  std::printf("%d mutants, %d of them shown wrong by execution\n", count.judged, count.wrong);
}

// By its path below the rules: "library_add", "library_taso_2".
std::string name_of(const ::testing::TestParamInfo<std::string>& info) {
  std::string out = info.param;
  for (const std::string root : {HALLMARK_SOURCE_DIR "/corpus/rules/", HALLMARK_SOURCE_DIR "/tests/"})
    if (out.rfind(root, 0) == 0) out.erase(0, root.size());
  const std::size_t ending = out.find(".hm");
  if (ending != std::string::npos) out.erase(ending, 3);
  for (char& c : out)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return out;
}

INSTANTIATE_TEST_SUITE_P(EveryFile, Mutants, ::testing::ValuesIn(file_names()), name_of);

}  // namespace
}  // namespace hallmark::rules
