// The suite runner on suites made here, and on the shared models exported from PyTorch.
#include "model/suite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/files.h"

namespace hallmark::model {
namespace {

namespace fs = std::filesystem;
using State = CaseResult::State;

evaluator::Tensor tensor(calculus::Format format, std::vector<std::int64_t> extents,
                         std::vector<double> values) {
  return evaluator::Tensor(format, std::move(extents), std::move(values));
}

TEST(FirstDifference, ToleranceIsRelativeAndAbsolute) {
  const auto f32 = calculus::Format::f32;
  EXPECT_FALSE(first_difference(tensor(f32, {2}, {1.0009, 1e-7}), tensor(f32, {2}, {1, 0})));
  EXPECT_EQ(first_difference(tensor(f32, {2, 2}, {1, 2, 3.1, 4}), tensor(f32, {2, 2}, {1, 2, 3, 5})),
            "[1, 0] is 3.1 where 3 is expected");
  EXPECT_TRUE(first_difference(tensor(f32, {1}, {2e-7}), tensor(f32, {1}, {0})));
}

TEST(FirstDifference, InfinitiesAndNaNsAgreeWithThemselvesAlone) {
  const auto f32 = calculus::Format::f32;
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  EXPECT_FALSE(first_difference(tensor(f32, {2}, {inf, nan}), tensor(f32, {2}, {inf, nan})));
  EXPECT_TRUE(first_difference(tensor(f32, {1}, {1e30}), tensor(f32, {1}, {inf})));
  EXPECT_TRUE(first_difference(tensor(f32, {1}, {-inf}), tensor(f32, {1}, {inf})));
  EXPECT_TRUE(first_difference(tensor(f32, {1}, {0}), tensor(f32, {1}, {nan})));
  EXPECT_TRUE(first_difference(tensor(f32, {1}, {nan}), tensor(f32, {1}, {0})));
}

TEST(FirstDifference, ExtentsAndTypesMustBeEqual) {
  const auto f32 = calculus::Format::f32;
  EXPECT_TRUE(first_difference(tensor(f32, {2, 1}, {1, 2}), tensor(f32, {1, 2}, {1, 2})));
  EXPECT_TRUE(first_difference(tensor(calculus::Format::f64, {1}, {1}), tensor(f32, {1}, {1})));
}

TEST(Suite, AFolderWithoutModelsIsAnError) {
  const TemporaryFolder folder;
  EXPECT_THROW(run_suite(folder.path()), UserError);
  EXPECT_THROW(run_suite(folder.path() + "/absent"), UserError);
}

TEST(Suite, AModelWithoutDataIsRefusedAndABrokenOneIsInvalid) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() + "/a/test_data_set_0");
  fs::create_directories(folder.path() + "/b");
  std::ofstream(folder.path() + "/a/model.onnx") << "no model";
  std::ofstream(folder.path() + "/b/model.onnx") << "no model";
  const SuiteResult result = run_suite(folder.path());
  ASSERT_EQ(result.cases.size(), 2U);
  EXPECT_EQ(result.cases[0].state, State::failed);
  EXPECT_EQ(result.cases[1].state, State::refused);
  EXPECT_EQ(line(result.cases[1]).substr(0, 11), "b: refused:");
}

TEST(Suite, TheSharedPyTorchModelsAllAgree) {
  const char* given = std::getenv("HALLMARK_SHARED");
  const std::string folder =
      (given != nullptr ? std::string(given) : std::string(HALLMARK_SOURCE_DIR) + "/../shared") +
      "/onnx/pytorch";
  if (!fs::exists(folder)) GTEST_SKIP() << "the shared folder has no " << folder;
  const SuiteResult result = run_suite(folder);
  EXPECT_EQ(result.cases.size(), 117U);
  for (const CaseResult& c : result.cases) EXPECT_EQ(c.state, State::ok) << line(c);
}

// ONNX's own cases for its operators, as Debian has them: those that are understood agree, the others are
// refused.
TEST(Suite, OnnxsCasesForItsOperatorsAgreeOrAreRefused) {
  const std::string folder = "/usr/share/libonnx-testdata/data/node";
  if (!fs::exists(folder)) GTEST_SKIP() << "the package libonnx-testdata is not installed: no " << folder;
  const SuiteResult result = run_suite(folder);
  EXPECT_EQ(result.cases.size(), 932U);
  EXPECT_GE(result.count(State::ok), 797U);
  for (const CaseResult& c : result.cases) {
    if (c.state == State::ok || c.state == State::refused) continue;
    // The data that these four give for 'like' do not have the extents that their models declare.
    EXPECT_EQ(c.state, State::failed) << line(c);
    EXPECT_NE(line(c).find("test_castlike_"), std::string::npos) << line(c);
    EXPECT_NE(line(c).find("E6005"), std::string::npos) << line(c);
  }
}

}  // namespace
}  // namespace hallmark::model
