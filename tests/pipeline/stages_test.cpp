// One stage at a time, and the context as an input of the election.
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "cases.h"
#include "pipeline/audit.h"

namespace hallmark {
namespace {

const pipeline::Say quiet = [](const std::string&) {};

std::map<std::string, std::string> without_clock(const std::string& folder) {
  std::map<std::string, std::string> out = testing::files_below(folder);
  out.erase("5-evidence/observations.json");
  out.erase("5-evidence/manifest.json");
  return out;
}

class Stages : public ::testing::TestWithParam<const char*> {};

TEST_P(Stages, TheFiveInOrderGiveTheBytesOfRun) {
  const TemporaryFolder top;
  const pipeline::RunRequest r = testing::request(GetParam(), top.path() + "/run");
  pipeline::run(r, quiet);
  const std::string folder = top.path() + "/stages";
  pipeline::import_stage(folder, r.model, {}, quiet);
  pipeline::search_stage(folder, r.context, {}, quiet);
  pipeline::select_stage(folder, r.context, quiet);
  pipeline::lower_stage(folder, quiet);
  pipeline::PackageRequest package;
  package.output = top.path() + "/package";
  package.corpus = r.context.corpus;
  pipeline::package_stage(folder, package, quiet);
  const auto whole = without_clock(top.path() + "/run"), parts = without_clock(top.path() + "/package");
  ASSERT_EQ(whole.size(), parts.size());
  for (const auto& [path, bytes] : whole) EXPECT_EQ(bytes, parts.at(path)) << path;
  // What is derived from the files is what was listed.
  EXPECT_EQ(pipeline::audit_bundle(top.path() + "/run", {}, quiet).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Stages, ::testing::Values("add", "matmul", "mlp", "conv"));

TEST(Stage, AMissingOneIsNamedWithItsCommand) {
  const TemporaryFolder top;
  const pipeline::RunRequest r = testing::request("add", top.path() + "/run");
  try {
    pipeline::select_stage(top.path(), r.context, quiet);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), "E7403");
    EXPECT_NE(error.message().find("hallmark import"), std::string::npos) << error.message();
  }
  pipeline::import_stage(top.path(), r.model, {}, quiet);
  try {
    pipeline::select_stage(top.path(), r.context, quiet);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(error.message().find("hallmark search"), std::string::npos) << error.message();
  }
}

// What was made from an older stage would not follow from the new one.
TEST(Stage, AnEarlierOneRemovesWhatCameAfterIt) {
  const TemporaryFolder top;
  const pipeline::RunRequest r = testing::request("add", top.path() + "/run");
  pipeline::import_stage(top.path(), r.model, {}, quiet);
  pipeline::search_stage(top.path(), r.context, {}, quiet);
  pipeline::import_stage(top.path(), r.model, {}, quiet);
  EXPECT_THROW(pipeline::select_stage(top.path(), r.context, quiet), UserError);
}

json::value selection(const pipeline::RunRequest& r, const std::string& folder) {
  pipeline::import_stage(folder, r.model, {}, quiet);
  pipeline::search_stage(folder, r.context, {}, quiet);
  pipeline::select_stage(folder, r.context, quiet);
  return parse_json(read_file(folder + "/3-selection/selection.json"), "selection.json");
}

TEST(Context, TheWorkloadIsPriced) {
  const TemporaryFolder top;
  pipeline::RunRequest r = testing::request("matmul", top.path() + "/run");
  r.context.workload = "matmul";
  const json::value record = selection(r, top.path());
  EXPECT_EQ(record.at("workload").at("points").as_array().size(), 2u);
  const json::value& elected = record.at("candidates").as_array().back();
  ASSERT_EQ(elected.at("modelled_seconds_by_point").as_array().size(), 2u);
  EXPECT_NE(elected.at("modelled_seconds_by_point").as_array()[0],
            elected.at("modelled_seconds_by_point").as_array()[1]);
  EXPECT_TRUE(std::string(record.at("election").as_string()).starts_with("optimal over what was retained"));
  EXPECT_NE(std::string(record.at("election").as_string()).find("% above"), std::string::npos);
  // Throughput hides launches behind work.
  write_file(
      top.path() + "/t.toml",
      "version = 1\nname = \"t\"\nmetric = \"throughput\"\n[[point]]\nsizes = { M = 64, N = 64, K = 64 }\n");
  write_file(
      top.path() + "/l.toml",
      "version = 1\nname = \"l\"\nmetric = \"latency\"\n[[point]]\nsizes = { M = 64, N = 64, K = 64 }\n");
  const auto seconds = [&](const std::string& workload) {
    r.context.workload = top.path() + "/" + workload;
    return std::stod(std::string(selection(r, top.path() + "/x").at("elected_seconds").as_string()));
  };
  EXPECT_LT(seconds("t.toml"), seconds("l.toml"));
}

TEST(Context, TheCostModelIsAnInput) {
  const TemporaryFolder top;
  pipeline::RunRequest r = testing::request("add", top.path() + "/run");
  const double shipped =
      std::stod(std::string(selection(r, top.path() + "/a").at("elected_seconds").as_string()));
  write_file(top.path() + "/slow.toml", "version = 1\nname = \"slow\"\n[launch]\nfactor = 1000\n");
  r.context.cost_model = top.path() + "/slow.toml";
  EXPECT_GT(std::stod(std::string(selection(r, top.path() + "/b").at("elected_seconds").as_string())),
            10 * shipped);
}

TEST(Context, ConstraintsRejectWithTheirReason) {
  const TemporaryFolder top;
  pipeline::RunRequest r = testing::request("mlp", top.path() + "/run");
  write_file(top.path() + "/separate.toml",
             "version = 1\nname = \"s\"\nschedules = [\"separate\"]\nforbid_rules = [\"*\"]\n");
  r.context.constraints = top.path() + "/separate.toml";
  const json::value record = selection(r, top.path() + "/a");
  EXPECT_TRUE(std::string(record.at("elected").as_string()).starts_with("authored; separate"));
  bool fused = false;
  for (const json::value& row : record.at("candidates").as_array()) {
    if (row.at("schedule").as_string() != "fused") continue;
    fused = true;
    EXPECT_NE(std::string(row.at("rejected").as_string()).find("schedule"), std::string::npos);
  }
  EXPECT_TRUE(fused);
  write_file(top.path() + "/none.toml", "version = 1\nname = \"n\"\nmax_seconds = 1e-12\n");
  r.context.constraints = top.path() + "/none.toml";
  EXPECT_THROW(selection(r, top.path() + "/b"), Refusal);
}

TEST(Context, ErrorsHaveAPlaceACaretAndACode) {
  const TemporaryFolder top;
  const auto error_of = [&](const std::string& what, const std::string& text) {
    write_file(top.path() + "/f.toml", text);
    pipeline::ContextRequest context = testing::request("add", "").context;
    (what == "workload" ? context.workload.emplace()
     : what == "model"  ? context.cost_model
                        : context.constraints) = top.path() + "/f.toml";
    try {
      pipeline::load_context(context, {});
    } catch (const UserError& error) {
      return error.render();
    }
    return std::string("no error");
  };
  for (const auto& [what, text, code] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"workload", "version = 1\nname = \"x\"\n", "E7311"},
           {"workload", "version = 1\nname = \"x\"\n[[point]]\nweight = -1\n", "E7303"},
           {"workload", "version = 1\nname = \"x\"\nsize = 2\n[[point]]\n", "E7302"},
           {"model", "version = 1\nname = \"x\"\n[weights]\nfam = 1\n", "E7302"},
           {"model", "version = 1\nname = \"x\"\n[efficiency]\nmemory = 1.5\n", "E7303"},
           {"model", "version = 1\nname = ", "E7301"},
           {"constraints", "version = 1\nname = \"x\"\nschedules = [\"fast\"]\n", "E7302"},
           {"constraints", "version = 2\nname = \"x\"\n", "E7302"}}) {
    const std::string rendered = error_of(what, text);
    EXPECT_NE(rendered.find(code), std::string::npos) << rendered;
    EXPECT_NE(rendered.find("f.toml:"), std::string::npos) << rendered;
    EXPECT_NE(rendered.find("^"), std::string::npos) << rendered;
  }
}

TEST(Context, APlanIsStaleUnderAnother) {
  const TemporaryFolder top;
  testing::run_model("relu", top.path() + "/out");
  pipeline::AuditRequest request;
  request.context["target"] = select::load_target("h100-sxm5", testing::corpus()).sha256;
  EXPECT_EQ(pipeline::audit_bundle(top.path() + "/out", request, quiet).exit_code, 0);
  request.context["target"] = select::load_target("a100", testing::corpus()).sha256;
  const bundle::AuditResult stale = pipeline::audit_bundle(top.path() + "/out", request, quiet);
  EXPECT_EQ(stale.exit_code, 3);
  EXPECT_NE(bundle::render(stale.report, bundle::Format::text).find("stale"), std::string::npos);
  // Another contract, too.
  request.context.clear();
  std::string contract = read_file(testing::corpus() + "/models/relu.contract.toml");
  write_file(top.path() + "/same.toml", contract);
  request.contract = top.path() + "/same.toml";
  EXPECT_EQ(pipeline::audit_bundle(top.path() + "/out", request, quiet).exit_code, 0);
  const std::string exact = "absolute = 0";
  contract.replace(contract.find(exact), exact.size(), "absolute = 0.25");
  write_file(top.path() + "/other.toml", contract);
  request.contract = top.path() + "/other.toml";
  EXPECT_EQ(pipeline::audit_bundle(top.path() + "/out", request, quiet).exit_code, 3);
}

}  // namespace
}  // namespace hallmark
