// Wrong versions of the shipped rules: where an execution shows that an element differs, no certificate is
// found, and that of the right rule, under the heading of the wrong one, does not check.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "../rules/mutants.h"
#include "../rules/small_oracle.h"
#include "base/error.h"
#include "pairs/instance.h"
#include "pipeline/rule_pairs.h"
#include "rules/rule_text.h"

namespace hallmark::pairs {
namespace {

bool differs(const rules::RuleFamily& family) {
  for (std::size_t i = 0; i < family.instances.size(); ++i) {
    bool small = true;
    for (int r : family.ranks[i]) small = small && r <= 1;
    if (!small) continue;
    const auto wrong = rules::testing::SmallOracle(family.instances[i], 200).wrong();
    // The certificate says nothing of shapes and bounds.
    if (wrong && wrong->starts_with("element")) return true;
  }
  return false;
}

std::vector<Sides> sides(const rules::RuleFamily& family) {
  try {
    return pipeline::sides_of(family);
  } catch (const NotShown&) {
    return {};
  }
}

std::vector<std::string> forged(const std::vector<Sides>& wrong, const std::vector<std::string>& right) {
  std::vector<std::string> out;
  std::size_t at = 0;
  for (const Sides& instance : wrong) {
    try {
      for (const std::string& line : Instance(instance).heading()) out.push_back(line);
    } catch (const NotShown&) {
      return {};
    }
    const auto heading = [&] {
      return right[at].starts_with("sides ") || right[at].starts_with("given ") ||
             right[at].starts_with("sum ");
    };
    while (at < right.size() && heading()) ++at;
    while (at < right.size() && !heading()) out.push_back(right[at++]);
  }
  return out;
}

TEST(WrongPairs, HaveNoCertificate) {
  std::size_t judged = 0, wrong = 0, right = 0, still_right = 0;
  for (const rules::RuleFamily& family : rules::load_library({HALLMARK_SOURCE_DIR "/corpus/rules"})) {
    const std::vector<Sides> original = sides(family);
    const auto steps = original.empty() ? std::nullopt : pipeline::find_pairs(original);
    if (!steps) continue;
    ++right;
    std::vector<std::pair<std::string, rules::RuleFamily>> mutants;
    for (const auto& [what, text] : rules::testing::mutants_of(family.text)) {
      try {
        mutants.emplace_back(what, rules::parse_rules("hallmark 1\n" + text, family.name).at(0));
      } catch (const UserError&) {
      }
    }
    const std::size_t step = std::max<std::size_t>(1, mutants.size() / 3);
    for (std::size_t m = 0; m < mutants.size(); m += step) {
      const rules::RuleFamily& mutant = mutants[m].second;
      const std::vector<Sides> changed = sides(mutant);
      if (changed.empty()) continue;
      ++judged;
      const bool shown = pipeline::find_pairs(changed).has_value();
      const bool forged_shown = check(changed, forged(changed, *steps)).empty();
      if (!shown && !forged_shown) continue;
      ++still_right;
      if (!differs(mutant)) continue;
      ++wrong;
      ADD_FAILURE() << mutants[m].first << " has a certificate:\n" << mutant.text;
    }
  }
  EXPECT_GT(right, 300u);
  EXPECT_GT(judged, 1200u);
  EXPECT_EQ(wrong, 0u);
  fmt::print("{} rules, {} mutants, {} with a certificate, of these {} wrong\n", right, judged, still_right,
             wrong);
}

// Rules that look right and are not.
TEST(WrongPairs, OfRulesThatLookRight) {
  for (const rules::RuleFamily& family : rules::load_rules({HALLMARK_SOURCE_DIR "/tests/rules/wrong.hm"})) {
    const std::vector<Sides> about = sides(family);
    if (about.empty() || !pipeline::find_pairs(about)) continue;
    EXPECT_FALSE(differs(family)) << family.text;
  }
}

}  // namespace
}  // namespace hallmark::pairs
