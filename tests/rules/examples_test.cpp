// The teaching examples have the verdicts that their texts name.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "rules/prove_rule.h"
#include "rules/reference.h"

namespace hallmark::rules {
namespace {

const std::string folder = HALLMARK_SOURCE_DIR "/corpus/examples/rules";

// "proved any-type" or "refuted", by rule.
std::map<std::string, std::string> expectations(const std::string& text) {
  std::map<std::string, std::string> out;
  std::istringstream in(text);
  std::string expected;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("# expected: ", 0) == 0) expected = line.substr(12);
    if (line.rfind("rule ", 0) == 0) out[line.substr(5)] = expected;
  }
  return out;
}

TEST(Examples, HaveTheVerdictsThatTheirTextsName) {
  smt::Portfolio portfolio;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hm") continue;
    ++files;
    const auto expected = expectations(read_file(entry.path().string()));
    const auto families = load_rules({entry.path().string()});
    EXPECT_EQ(families.size(), expected.size());
    for (const RuleFamily& family : families) {
      const Obligation o = prove_family(family, portfolio);
      const std::string state(name(o.outcome.state));
      EXPECT_EQ(o.strength.empty() ? state : state + " " + o.strength, expected.at(family.name))
          << family.name << ": " << o.outcome.detail;
    }
  }
  EXPECT_GE(files, 10u);
}

TEST(Reference, NamesEveryRuleOnceWithItsStatementAndDigest) {
  const auto families = load_library({HALLMARK_SOURCE_DIR "/corpus/rules"});
  const std::string text = reference(families);
  EXPECT_EQ(text, reference(families));
  for (const RuleFamily& f : families) {
    const std::size_t at = text.find("### " + f.name + "\n");
    ASSERT_NE(at, std::string::npos) << f.name;
    EXPECT_EQ(text.find("### " + f.name + "\n", at + 1), std::string::npos) << f.name;
    const std::size_t digest_at = text.find("sha256:" + digest(f.instances.back()), at);
    const std::size_t next = text.find("\n### ", at + 1);
    EXPECT_LT(digest_at, next) << f.name;
    EXPECT_NE(text.find(f.source, at), std::string::npos) << f.name;
  }
}

}  // namespace
}  // namespace hallmark::rules
