#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "cases.h"

namespace hallmark {
namespace {

using testing::files_below;
using testing::request;
using testing::run_model;

std::size_t count(const bundle::Report& report, State state) {
  return static_cast<std::size_t>(
      std::count_if(report.obligations.begin(), report.obligations.end(),
                    [&](const Obligation& o) { return o.outcome.state == state; }));
}

class SmallModel : public ::testing::TestWithParam<const char*> {};

TEST_P(SmallModel, IsProvedFromItsContractToItsPtx) {
  const TemporaryFolder folder;
  const pipeline::RunResult result = run_model(GetParam(), folder.path() + "/out");
  EXPECT_EQ(result.exit_code, 0) << result.report.verdict;
  EXPECT_EQ(count(result.report, State::refuted), 0u);
  for (const Obligation& o : result.report.obligations) {
    if (o.outcome.state != State::unrun) continue;
    EXPECT_EQ(o.outcome.reason, Reason::tool_missing) << o.id << ": " << o.outcome.detail;
  }
  if (testing::nvcc_is_there()) {
    EXPECT_EQ(count(result.report, State::unrun), 0u);
    EXPECT_EQ(result.report.verdict.rfind("For every input inside the contract", 0), 0u)
        << result.report.verdict;
  } else {
    EXPECT_EQ(result.report.verdict.find("For every input inside the contract"), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, SmallModel, ::testing::Values("relu", "add", "matmul"));

// The root of x * x - x + h for x in [-1, 1]: one box gives the operand [h - 1, h + 2], and its least value
// is h - 1/4. Parts of the box show the one h and not the other.
TEST(Run, PartsOfABoxShowADomainThatOneBoxDoesNot) {
  for (const bool right : {true, false}) {
    const TemporaryFolder folder;
    pipeline::RunRequest r = request("relu", folder.path() + "/out");
    r.model = folder.path() + "/root.onnxtxt";
    write_file(r.model, std::string("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                    "root (float[N] x) => (float[N] y)\n<float h = {") +
                            (right ? "0.5" : "0.2") +
                            "}>\n{\n  q = Mul(x, x)\n  d = Sub(q, x)\n  e = Add(d, h)\n  y = Sqrt(e)\n}\n");
    write_file(folder.path() + "/root.contract.toml",
               "version = 1\n[dimensions]\nN = { low = 1, high = 4096 }\n[inputs.x]\nlow = -1\nhigh = 1\n"
               "[tolerance]\nabsolute = 0.001\n");
    const pipeline::RunResult result = pipeline::run(r, [](const std::string&) {});
    for (const Obligation& o : result.report.obligations)
      if (o.id == "defined/y/model" || o.id == "range/y/plan" || o.id == "tolerance/y/model") {
        // The wrong one is refuted by an input that was executed, or left open.
        EXPECT_TRUE(right || o.outcome.state != State::proved) << o.id;
        if (!right && o.kind != ObligationKind::defined) continue;
        EXPECT_EQ(o.outcome.state, right ? State::proved : State::refuted) << o.id;
        const bool certified = std::find(o.outcome.discharged_by.begin(), o.outcome.discharged_by.end(),
                                         "certificate") != o.outcome.discharged_by.end();
        EXPECT_EQ(certified, right) << o.id;
      }
    EXPECT_EQ(result.exit_code, right ? 0 : 1) << result.report.verdict;
    std::size_t in_parts = 0;
    for (const auto& [path, bytes] : files_below(r.output + "/5-evidence/certificates"))
      in_parts += bytes.find(" by x ") != std::string::npos ? 1 : 0;
    EXPECT_EQ(in_parts > 0, right);
  }
}

// A contract that is too tight for f32 must not come out as met: the twin of the test above.
TEST(Run, AToleranceThatRoundingBreaksIsNotProved) {
  const TemporaryFolder folder;
  pipeline::RunRequest r = request("matmul", folder.path() + "/out");
  std::string contract = read_file(testing::corpus() + "/models/matmul.contract.toml");
  const std::string wide = "absolute = 0.1";
  contract.replace(contract.find(wide), wide.size(), "absolute = 1e-9");
  write_file(folder.path() + "/tight.toml", contract);
  r.contract = folder.path() + "/tight.toml";
  const pipeline::RunResult result = pipeline::run(r, [](const std::string&) {});
  const auto tolerance =
      std::find_if(result.report.obligations.begin(), result.report.obligations.end(),
                   [](const Obligation& o) { return o.kind == ObligationKind::tolerance; });
  ASSERT_NE(tolerance, result.report.obligations.end());
  EXPECT_NE(tolerance->outcome.state, State::proved);
  EXPECT_EQ(result.report.verdict.find("For every input inside the contract"), std::string::npos);
}

TEST(Run, SameInputsSameBytes) {
  const TemporaryFolder folder;
  run_model("matmul", folder.path() + "/first");
  run_model("matmul", folder.path() + "/second");
  std::map<std::string, std::string> first = files_below(folder.path() + "/first"),
                                     second = files_below(folder.path() + "/second");
  // Times and the host are observations; the manifest covers them.
  for (auto* files : {&first, &second}) {
    files->erase("5-evidence/observations.json");
    files->erase("5-evidence/manifest.json");
  }
  ASSERT_EQ(first.size(), second.size());
  for (const auto& [path, bytes] : first) EXPECT_EQ(bytes, second.at(path)) << path;
  EXPECT_GT(first.count("5-evidence/receipt.json"), 0u);
}

// How many threads share the kernels, and which of them takes which, decides nothing.
TEST(Run, AnyNumberOfThreadsGivesTheSameBytes) {
  const TemporaryFolder folder;
  std::map<std::string, std::string> first;
  for (const unsigned jobs : {1u, 2u, 5u}) {
    pipeline::RunRequest r = request("mlp", folder.path() + "/" + std::to_string(jobs));
    r.effort.jobs = jobs;
    pipeline::run(r, [](const std::string&) {});
    std::map<std::string, std::string> files = files_below(r.output);
    files.erase("5-evidence/observations.json");
    files.erase("5-evidence/manifest.json");
    if (first.empty()) first = files;
    ASSERT_EQ(first.size(), files.size()) << jobs;
    for (const auto& [path, bytes] : first) EXPECT_EQ(bytes, files.at(path)) << path << ", " << jobs;
  }
  EXPECT_GT(first.count("5-evidence/receipt.json"), 0u);
}

TEST(Run, ASolverThatIsNotAskedLeavesNothingProvedThatWantsBoth) {
  const TemporaryFolder folder;
  pipeline::RunRequest r = request("relu", folder.path() + "/out");
  r.effort.solvers = {"z3"};
  const pipeline::RunResult result = pipeline::run(r, [](const std::string&) {});
  EXPECT_EQ(result.exit_code, 3);
  std::size_t missing = 0;
  for (const Obligation& o : result.report.obligations) {
    if (o.outcome.queries.empty()) continue;
    EXPECT_NE(o.outcome.state, State::proved) << o.id;
    missing += o.outcome.reason == Reason::solver_missing ? 1 : 0;
  }
  EXPECT_GT(missing, 5u);
}

TEST(Run, TheReportHasTheShapeThatGatesRead) {
  const TemporaryFolder folder;
  const pipeline::RunResult result = run_model("relu", folder.path() + "/out");
  const json::value report = parse_json(bundle::render(result.report, bundle::Format::json), "report");
  EXPECT_TRUE(report.at("verdict").is_string());
  for (const char* state : {"proved", "refuted", "unrun"})
    EXPECT_TRUE(report.at("counts").at(state).is_int64() || report.at("counts").at(state).is_uint64());
  ASSERT_FALSE(report.at("obligations").as_array().empty());
  for (const char* field :
       {"id", "statement", "kind", "level", "subject", "scope", "strength", "state", "reason",
        "discharged_by", "assumptions", "query", "witness", "location", "replay"})
    EXPECT_TRUE(report.at("obligations").as_array()[0].as_object().contains(field)) << field;
}

TEST(Run, ABrokenModelIsAnErrorAndLeavesNoBundle) {
  const TemporaryFolder folder;
  write_file(folder.path() + "/broken.onnx", "this is no model");
  pipeline::RunRequest r = request("relu", folder.path() + "/out");
  r.model = folder.path() + "/broken.onnx";
  EXPECT_THROW(pipeline::run(r, [](const std::string&) {}), UserError);
  EXPECT_TRUE(files_below(folder.path()).size() == 1u);
}

}  // namespace
}  // namespace hallmark
