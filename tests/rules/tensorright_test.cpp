// The rules of TensorRight's table, each under its own number: which shipped rules state it, and which wrong rules state
// the forms that are wrong as published.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/files.h"
#include "rules/rule_text.h"

namespace hallmark::rules {
namespace {

// Numbers of the table that the sources of rules name: "TensorRight, POPL 2025: slice/04 and slice/05".
std::map<std::string, std::set<std::string>> named_in(const std::vector<RuleFamily>& families) {
  std::map<std::string, std::set<std::string>> out;
  const std::regex number("[a-z]+/[0-9][0-9]");
  for (const RuleFamily& f : families) {
    if (f.source.find("TensorRight") == std::string::npos) continue;
    for (std::sregex_iterator at(f.source.begin(), f.source.end(), number), end; at != end; ++at)
      out[at->str()].insert(f.name);
  }
  return out;
}

TEST(TensorRight, EveryRuleOfItsTableIsShippedUnderItsNumber) {
  const char* named = std::getenv("HALLMARK_SHARED");
  const std::string table =
      (named != nullptr ? std::string(named) : std::string(HALLMARK_SOURCE_DIR "/../shared")) +
      "/rules/rules-tensorright.tsv";
  if (!std::filesystem::exists(table)) GTEST_SKIP() << table << " is not there";
  const auto shipped = named_in(load_library({HALLMARK_SOURCE_DIR "/corpus/rules"}));
  std::set<std::string> numbers;
  std::istringstream lines(read_file(table));
  std::string line;
  std::getline(lines, line);  // the columns' names
  while (std::getline(lines, line)) {
    const std::string number = line.substr(0, line.find('\t'));
    numbers.insert(number);
    EXPECT_TRUE(shipped.count(number) != 0) << "no shipped rule names " << line;
  }
  EXPECT_EQ(numbers.size(), 124u);
  for (const auto& [number, rules] : shipped)
    EXPECT_TRUE(numbers.count(number) != 0) << *rules.begin() << " names " << number;
}

TEST(TensorRight, WhatIsWrongAsStatedIsAmongTheWrongRules) {
  const auto wrong = named_in(load_rules({HALLMARK_SOURCE_DIR "/tests/rules/wrong.hm"}));
  for (const char* number : {"clamp/02", "dyslice/01", "dyslice/05", "dyslice/06", "dyupslice/02",
                             "dyupslice/04", "debug/03"})
    EXPECT_TRUE(wrong.count(number) != 0) << number;
}

}  // namespace
}  // namespace hallmark::rules
