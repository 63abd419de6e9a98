// The substitutions of TASO: read, given shapes, proved or refuted.
#include "rules/taso.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "rules/prove_rule.h"

namespace hallmark::rules {
namespace {

std::string shared_file() {
  const char* named = std::getenv("HALLMARK_SHARED");
  return (named != nullptr ? std::string(named) : std::string(HALLMARK_SOURCE_DIR "/../shared")) +
         "/rules/taso_graph_subst.pb";
}

TEST(Taso, RefusesWhatIsNotSuchAFile) {
  EXPECT_THROW(import_taso("\x0a\x7f", "f"), UserError);
  EXPECT_THROW(import_taso("\x10\x01", "f"), UserError);
  EXPECT_THROW(import_taso(std::string(64, '\xff'), "f"), UserError);
  EXPECT_TRUE(import_taso("", "f").empty());
}

// add(x1, x2) = add(x2, x1) in the wire format, written by hand.
TEST(Taso, ReadsARule) {
  const auto message = [](int field, const std::string& bytes) {
    return std::string(1, static_cast<char>(field << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
  };
  const auto input = [&](long op) {
    std::string varint;
    for (auto v = static_cast<std::uint64_t>(op);; v >>= 7) {
      varint += static_cast<char>((v & 0x7f) | (v >= 0x80 ? 0x80 : 0));
      if (v < 0x80) break;
    }
    return message(2, "\x08" + varint);
  };
  const auto add = [&](long a, long b) { return std::string("\x08\x10") + input(a) + input(b); };
  const std::string output = message(3, "");
  const std::vector<ImportedRule> rules =
      import_taso(message(1, message(1, add(-1, -2)) + message(2, add(-2, -1)) + output), "f");
  ASSERT_EQ(rules.size(), 1u);
  ASSERT_EQ(rules[0].texts.size(), 1u) << rules[0].failure;
  smt::Portfolio portfolio;
  const Obligation o = prove_family(parse_rules("hallmark 1\n" + rules[0].texts[0], "f").at(0), portfolio);
  EXPECT_EQ(o.outcome.state, State::proved) << o.outcome.detail;
}

TEST(Taso, EveryRuleOfTheFileHasShapes) {
  if (!std::filesystem::exists(shared_file())) GTEST_SKIP() << "the shared folder is not there";
  const std::vector<ImportedRule> rules = import_taso(read_file(shared_file()), "taso_graph_subst.pb");
  EXPECT_GE(rules.size(), 133u);
  std::size_t conditions = 0;
  for (const ImportedRule& rule : rules) {
    conditions += rule.conditions.empty() ? 0 : 1;
    EXPECT_FALSE(rule.texts.empty() && rule.failure.empty()) << rule.name;
    for (const std::string& text : rule.texts)
      EXPECT_NO_THROW(parse_rules("hallmark 1\n" + text, rule.name)) << text;
  }
  EXPECT_GT(conditions, 0u);
}

}  // namespace
}  // namespace hallmark::rules
