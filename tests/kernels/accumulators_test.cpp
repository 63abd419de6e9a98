// The range of a sum of bounded terms is known by induction, and no wider than that: one term more than fits
// and the overflow is not excluded any longer. (-128 * -128 = 2^14, and 2^31 / 2^14 = 131072.)
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"

namespace hallmark {
namespace {

std::map<std::string, std::set<std::string>> states(const std::string& kernel, const std::string& spec) {
  const std::string folder = HALLMARK_SOURCE_DIR "/tests/kernels/";
  ProcessLimits limits;
  limits.wall = std::chrono::minutes(5);
  limits.memory_bytes = 0;
  const ProcessResult result =
      run_process({HALLMARK_PROGRAM, "--format", "json", "kernel", "check", folder + "accumulators.cu",
                   "--kernel", kernel, "--spec", folder + "specs/" + spec + ".hm", "--level", "source"},
                  {}, limits);
  std::map<std::string, std::set<std::string>> out;
  if (result.out.empty()) {
    ADD_FAILURE() << result.err;
    return out;
  }
  const json::value report = parse_json(result.out, kernel);
  for (const json::value& o : report.at("obligations").as_array())
    out[std::string(o.at("kind").as_string())].insert(std::string(o.at("state").as_string()));
  return out;
}

const std::set<std::string> proved{"proved"};

TEST(Accumulators, StayInsideWhereTheTermsFit) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  for (const auto& [kind, found] : states("dot_bytes", "dot_bytes")) EXPECT_EQ(found, proved) << kind;
  for (const auto& [kind, found] : states("compact_flags", "compact_flags")) EXPECT_EQ(found, proved) << kind;
}

TEST(Accumulators, MayOverflowWithOneTermMore) {
  if (!find_tool("clang++-14")) GTEST_SKIP() << "clang++-14 is not installed";
  EXPECT_EQ(states("dot_bytes", "dot_bytes_one_more")["overflow"].count("proved"), 0u);
  EXPECT_EQ(states("compact_flags", "compact_flags_one_more")["overflow"].count("proved"), 0u);
}

}  // namespace
}  // namespace hallmark
