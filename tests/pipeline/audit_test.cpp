#include "pipeline/audit.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "bundle/replay.h"
#include "cases.h"
#include "smt/portfolio.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;

bundle::AuditResult audit(const std::string& folder) {
  return pipeline::audit_bundle(folder, {}, [](const std::string&) {});
}

class Audit : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    testing::run_model("add", folder_->path() + "/out");
  }
  static void TearDownTestSuite() { delete folder_; }
  // A fresh copy of the bundle for a test that damages it.
  std::string copy() const {
    const std::string to = folder_->path() + "/copy";
    fs::remove_all(to);
    fs::copy(folder_->path() + "/out", to, fs::copy_options::recursive);
    return to;
  }
  static TemporaryFolder* folder_;
};
TemporaryFolder* Audit::folder_ = nullptr;

TEST_F(Audit, EstablishesEveryStateAgain) {
  const bundle::AuditResult result = audit(folder_->path() + "/out");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.not_reestablished, 0u);
  for (const bundle::Finding& f : result.report.findings) ADD_FAILURE() << f.message;
}

TEST_F(Audit, NoticesAChangedByteInEveryFile) {
  for (const auto& [path, bytes] : testing::files_below(folder_->path() + "/out")) {
    const std::string bundle = copy();
    std::string changed = bytes;
    ASSERT_FALSE(changed.empty()) << path;
    changed[changed.size() / 2] = static_cast<char>(changed[changed.size() / 2] ^ 1);
    write_file(bundle + "/" + path, changed);
    EXPECT_EQ(audit(bundle).exit_code, 5) << path;
  }
}

TEST_F(Audit, NamesADeletedArtifact) {
  const std::string bundle = copy();
  std::string kernel;
  for (const auto& entry : fs::directory_iterator(bundle + "/4-artifact"))
    if (entry.path().extension() == ".cu") kernel = entry.path().filename().string();
  fs::remove(bundle + "/4-artifact/" + kernel);
  const bundle::AuditResult result = audit(bundle);
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_NE(bundle::render(result.report, bundle::Format::text).find(kernel), std::string::npos);
}

TEST_F(Audit, ReplayConfirmsARecordedProofWithEitherSolver) {
  const bundle::OpenBundle opened = bundle::open_bundle(folder_->path() + "/out");
  ASSERT_TRUE(opened.receipt);
  smt::Portfolio portfolio;
  bundle::ReplayOptions options;
  options.ask = [&](const std::string& solver, const std::string& text) {
    return smt::recorded(solver, portfolio.replay(solver, text));
  };
  int replayed = 0;
  for (const Obligation& o : opened.receipt->obligations) {
    if (o.outcome.queries.empty() || replayed == 4) continue;
    ++replayed;
    for (const char* solver : {"z3", "cvc5"}) {
      options.solvers = {solver};
      EXPECT_EQ(bundle::replay(opened, o.id, options).grade, bundle::Replay::confirmed)
          << o.id << " " << solver;
    }
  }
  EXPECT_EQ(replayed, 4);
}

}  // namespace
}  // namespace hallmark
