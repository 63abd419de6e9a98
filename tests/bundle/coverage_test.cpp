#include "bundle/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

using testing::claim;
using testing::Sample;
using Kind = ObligationKind;

constexpr const char* launch = testing::sample_launch;

Scan sample_scan() {
  return scan_artifact(
      {{"relu.cu", testing::sample_cuda}, {"relu.ptx", testing::sample_ptx}, {"map.json", "{}"}}, launch,
      {"Y"});
}

TEST(Coverage, TheSampleIsCoveredAndEveryKindIsNeeded) {
  const Sample sample;
  EXPECT_EQ(uncovered(sample_scan(), sample.obligations), std::vector<std::string>{});
  for (const Obligation& o : sample.obligations) {
    const bool scanned = o.kind == Kind::tolerance || (o.kind >= Kind::bounds && o.kind != Kind::termination);
    std::vector<Obligation> less = sample.obligations;
    std::erase_if(less, [&](const Obligation& other) { return other.id == o.id; });
    EXPECT_EQ(uncovered(sample_scan(), less).empty(), !scanned) << o.id;
  }
}

TEST(Coverage, LineByLineEachConstructIsNeeded) {
  const Sample sample;
  std::vector<Obligation> list = sample.obligations;
  std::erase_if(list, [](const Obligation& o) { return o.kind == Kind::bounds && o.level == Level::ptx; });
  list.push_back(claim(Kind::bounds, Level::ptx, "relu:6"));
  EXPECT_EQ(uncovered(sample_scan(), list),
            std::vector<std::string>{
                "relu:8 (store global) is the subject of no obligation of kind bounds at level ptx"});
  list.push_back(claim(Kind::bounds, Level::ptx, "relu:88"));
  EXPECT_EQ(uncovered(sample_scan(), list).size(), 1u) << "line 88 is not line 8";
  list.push_back(claim(Kind::bounds, Level::ptx, "relu:8 store"));
  EXPECT_TRUE(uncovered(sample_scan(), list).empty());
}

// A front end may place an access on another line of its expression: at level source the number decides.
TEST(Coverage, AtSourceThereAreAsManyAsConstructs) {
  const Sample sample;
  std::vector<Obligation> list = sample.obligations;
  std::erase_if(list, [](const Obligation& o) { return o.kind == Kind::bounds && o.level == Level::source; });
  list.push_back(claim(Kind::bounds, Level::source, "relu:4 load 1"));
  list.push_back(claim(Kind::bounds, Level::source, "relu:5 load 2"));
  EXPECT_EQ(uncovered(sample_scan(), list),
            std::vector<std::string>{
                "kernel relu has 3 constructs that need an obligation of kind bounds at level source, and "
                "2 of these"});
  list.push_back(claim(Kind::bounds, Level::source, "relu:4 store 1"));
  EXPECT_TRUE(uncovered(sample_scan(), list).empty());
}

TEST(Coverage, AMissingTextStillNeedsItsObligations) {
  const Sample sample;
  std::vector<Obligation> list = sample.obligations;
  std::erase_if(list, [](const Obligation& o) { return o.level == Level::ptx && o.subject == "relu"; });
  const Scan no_ptx = scan_artifact({{"relu.cu", testing::sample_cuda}}, launch, {"Y"});
  EXPECT_EQ(uncovered(no_ptx, list).size(), 4u);
}

TEST(Coverage, LaunchesAreReadFromThePlan) {
  EXPECT_THROW(scan_artifact({}, "{}", {}), UserError);
  EXPECT_THROW(scan_artifact({}, "{\"buffers\": [], \"launches\": [1]}", {}), UserError);
  EXPECT_THROW(scan_artifact({}, R"({"buffers": [], "launches": [{"kernel": "a"}]})", {}), UserError);
  const Scan scan = scan_artifact({}, R"({"buffers": [{"name": "w", "role": "prepared"}], "launches": [
      {"kernel": "a", "prepare": true}, {"kernel": "a", "prepare": false}]})",
                                  {});
  EXPECT_EQ(scan.launches.size(), 2u);
  EXPECT_EQ(scan.prepares, std::vector<std::size_t>{0});
  EXPECT_EQ(scan.kept_buffers, std::vector<std::string>{"w"});
  const std::vector<std::string> holes = uncovered(scan, {claim(Kind::order, Level::plan, "stream")});
  const auto has = [&](const std::string& text) {
    return std::any_of(holes.begin(), holes.end(),
                       [&](const std::string& hole) { return hole.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has("kept buffer w"));
  EXPECT_TRUE(has("launch 0 of a, which runs once"));
  EXPECT_EQ(scan.kernels.size(), 2u) << "level source and level ptx";
}

TEST(Coverage, CountsAreCompared) {
  EXPECT_TRUE(count_differences("k", {{"barrier", 2}}, {{"barrier", 2}}).empty());
  EXPECT_EQ(count_differences("k", {{"barrier", 2}}, {{"barrier", 1}, {"load global", 3}}),
            (std::vector<std::string>{"k: barrier: 2 in the text, 1 in the validator's reading",
                                      "k: load global: 0 in the text, 3 in the validator's reading"}));
}

}  // namespace
}  // namespace hallmark::bundle
