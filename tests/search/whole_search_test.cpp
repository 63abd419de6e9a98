// A rule about Z fires on integers only where nothing wraps.
#include <gtest/gtest.h>

#include "calculus/text/text.h"
#include "rules/rule_text.h"
#include "search/explain.h"

namespace hallmark::search {
namespace {

using namespace calculus;

std::vector<rules::Rule> library() {
  std::vector<rules::Rule> out;
  for (const rules::RuleFamily& f : rules::load_rules({HALLMARK_SOURCE_DIR "/corpus/rules/integers.hm"}))
    out.insert(out.end(), f.instances.begin(), f.instances.end());
  return out;
}

Program program() {
  return text::parse_program(
      "hallmark 1 program exact input x : i32[3, 4]"
      " define T : i32[i < 3, j < 4] = x[i, j] * 2@i32"
      " define Y : i32[i < 3, j < 4] = T[i, j] / 2@i32 output Y",
      "doubled.hm");
}

std::size_t fired(const Program& p, const rules::WholeRanges& ranges) {
  return grow(p, library(), {}, ranges).applications.size();
}

TEST(WholeSearch, FiresOnlyWhereNothingWraps) {
  EXPECT_GE(fired(program(), {{"x", {-1000, 1000}}}), 1u);
  EXPECT_GE(fired(program(), {{"x", {-1073741824, 1073741823}}}), 1u);
  EXPECT_EQ(fired(program(), {{"x", {-1073741824, 1073741824}}}), 0u) << "2^30 doubled is -2^31";
  EXPECT_EQ(fired(program(), {}), 0u)
      << "of a tensor without a range every number of its format is to be expected";
}

TEST(WholeSearch, RangesOfInnerTensorsAreThoseOfTheirDefinitions) {
  const auto chain = [](const char* factor) {
    return text::parse_program(std::string("hallmark 1 program exact input a : i32[3, 4]") +
                                   " define x : i32[i < 3, j < 4] = a[i, j] * " + factor +
                                   " define T : i32[i < 3, j < 4] = x[i, j] * 2@i32"
                                   " define Y : i32[i < 3, j < 4] = T[i, j] / 2@i32 output Y",
                               "chain.hm");
  };
  EXPECT_GE(fired(chain("1000@i32"), {{"a", {-1000, 1000}}}), 1u);
  EXPECT_EQ(fired(chain("2000000@i32"), {{"a", {-1000, 1000}}}), 0u);
  // Where the inner product wraps, it is any number.
  EXPECT_EQ(fired(chain("3000000@i32"), {{"a", {-1000, 1000}}}), 0u);
}

TEST(WholeSearch, TheStepSaysWhatItRestsOn) {
  const Program p = program();
  const Search search = grow(p, library(), {}, {{"x", {-5, 7}}});
  const std::vector<Step> steps = steps_of(search, library());
  ASSERT_FALSE(steps.empty());
  EXPECT_TRUE(steps[0].unbounded);
  EXPECT_EQ(steps[0].ranges, (rules::WholeRanges{{"x", {-5, 7}}}));
}

}  // namespace
}  // namespace hallmark::search
