// Every law that the prover names has its statement and its proof in proofs/lemmas.md, and says where it is
// tested.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "base/files.h"

namespace hallmark::rules {
namespace {

std::set<std::string> named_by_the_prover() {
  std::set<std::string> out;
  const std::regex insertion("laws_?\\.(insert|push_back)\\(([^;]*)\\)"), law("\"([A-Z][A-Z-]+)\"");
  for (const auto& entry : std::filesystem::directory_iterator(HALLMARK_SOURCE_DIR "/src/rules")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string text = read_file(entry.path().string());
    for (std::sregex_iterator at(text.begin(), text.end(), insertion), end; at != end; ++at) {
      const std::string inside = (*at)[2];
      for (std::sregex_iterator name(inside.begin(), inside.end(), law); name != end; ++name)
        out.insert((*name)[1]);
    }
  }
  return out;
}

// The cells of each row of the tables, by the law in the first.
std::map<std::string, std::vector<std::string>> rows() {
  std::map<std::string, std::vector<std::string>> out;
  std::istringstream in(read_file(HALLMARK_SOURCE_DIR "/proofs/lemmas.md"));
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("| ", 0) != 0) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(1));
    for (std::string cell; std::getline(row, cell, '|');) {
      const std::size_t begin = cell.find_first_not_of(' ');
      cells.push_back(
          begin == std::string::npos ? "" : cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
    }
    out[cells.front()] = cells;
  }
  return out;
}

TEST(Lemmas, EveryLawOfTheProverIsStatedProvedAndTested) {
  const auto all = rows();
  const std::set<std::string> named = named_by_the_prover();
  EXPECT_GE(named.size(), 20u) << "the laws were not found in the sources";
  for (const std::string& law : named) {
    ASSERT_TRUE(all.contains(law)) << law;
    const std::vector<std::string>& cells = all.at(law);
    ASSERT_EQ(cells.size(), 5u) << law;
    for (const std::string& cell : cells) EXPECT_FALSE(cell.empty()) << law;
  }
}

// What a row names as its tests exists: rules by name in the corpus or beside the tests.
TEST(Lemmas, TheRulesThatTestThemExist) {
  std::string texts;
  for (const char* folder : {"/corpus/rules", "/tests/rules"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(HALLMARK_SOURCE_DIR) + folder))
      if (entry.path().extension() == ".hm") texts += "\n" + read_file(entry.path().string());
  const std::regex rule("[a-z]+/[a-z0-9-]+");
  std::size_t checked = 0;
  for (const auto& [law, cells] : rows()) {
    if (cells.size() != 5 || law == "law") continue;
    for (std::sregex_iterator at(cells[4].begin(), cells[4].end(), rule), end; at != end; ++at, ++checked)
      EXPECT_NE(texts.find("\nrule " + at->str() + "\n"), std::string::npos) << law << ": " << at->str();
  }
  EXPECT_GE(checked, 40u);
}

}  // namespace
}  // namespace hallmark::rules
