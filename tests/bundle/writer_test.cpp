#include "bundle/writer.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "bundle/audit.h"
#include "bundle/layout.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

namespace fs = std::filesystem;
using testing::Sample;

std::map<std::string, std::string> contents(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& [path, file] : list_folder(folder).files) out[path] = file.sha256;
  return out;
}

TEST(Writer, WritesEveryStageAndListsEveryFile) {
  const TemporaryFolder top;
  const std::string folder = top.path() + "/b";
  Sample sample;
  testing::refute(sample.at("race/relu/ptx"), "threads 0 and 1 write y[0]");
  sample.write(folder);
  const Listing listing = list_folder(folder);
  EXPECT_EQ(read_file(folder + "/" + manifest_file), manifest_text(listing));
  for (const char* path : {receipt_file, result_file, observations_file, statements_file})
    EXPECT_TRUE(listing.files.contains(path)) << path;
  EXPECT_TRUE(listing.files.contains(witness_file("race/relu/ptx")));
  EXPECT_FALSE(listing.files.contains(envelope_file)) << "no key was given";
  for (const auto& [digest, text] : sample.texts)
    if (listing.files.contains(query_file(digest))) {
      EXPECT_EQ(listing.files.at(query_file(digest)).sha256, digest);
    }
  EXPECT_FALSE(fs::exists(folder + ".staging"));
}

// Issue bar 8.
TEST(Writer, SameInputsSameBytesOutsideTheObservations) {
  const TemporaryFolder top;
  Sample first, second;
  second.observations.finished = "2025-01-01T00:00:00Z";
  second.observations.host = "elsewhere";
  const PrivateKey key = PrivateKey::generate();
  first.write(top.path() + "/a", {key});
  second.write(top.path() + "/deeper-name", {key});
  auto a = contents(top.path() + "/a"), b = contents(top.path() + "/deeper-name");
  for (const char* path : {observations_file, observations_envelope_file, manifest_file}) {
    EXPECT_NE(a[path], b[path]) << path;
    a.erase(path);
    b.erase(path);
  }
  EXPECT_EQ(a, b);
}

TEST(Writer, ReplacesAnOlderBundleAndNothingElse) {
  const TemporaryFolder top;
  Sample sample;
  sample.write(top.path() + "/b");
  sample.identities.settings["barrier"] = "strict";
  sample.write(top.path() + "/b");
  EXPECT_EQ(audit(top.path() + "/b", testing::audit_with(sample)).exit_code, 0);
  fs::create_directory(top.path() + "/mine");
  write_file(top.path() + "/mine/thesis.txt", "years of work");
  EXPECT_THROW(BundleWriter(top.path() + "/mine"), UserError);
  write_file(top.path() + "/file", "x");
  EXPECT_THROW(BundleWriter(top.path() + "/file"), UserError);
  fs::create_directory(top.path() + "/empty");
  EXPECT_NO_THROW(sample.write(top.path() + "/empty"));
}

// Issue bar 7: a killed run leaves nothing half-written.
TEST(Writer, AKilledRunLeavesNothing) {
  const TemporaryFolder top;
  const std::string folder = top.path() + "/b";
  const Sample sample;
  sample.write(folder);
  const auto before = contents(folder);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    BundleWriter writer(folder);
    writer.add_file("1-model/model.onnxtxt", "half of a mod");
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(contents(folder), before);
  EXPECT_TRUE(fs::exists(folder + ".staging"));
  sample.write(folder);  // the next run clears what the killed one left
  EXPECT_EQ(contents(folder), before);
  EXPECT_FALSE(fs::exists(folder + ".staging"));
}

TEST(Writer, TwoRunsDoNotShareAFolder) {
  const TemporaryFolder top;
  const BundleWriter first(top.path() + "/b");
  EXPECT_THROW(BundleWriter(top.path() + "/b/"), UserError);
}

TEST(Writer, AnAbandonedRunRemovesItsStaging) {
  const TemporaryFolder top;
  {
    BundleWriter writer(top.path() + "/b");
    writer.add_file("1-model/m", "x");
  }
  EXPECT_TRUE(fs::is_empty(top.path()));
}

TEST(Writer, PathsStayInsideTheStages) {
  const TemporaryFolder top;
  BundleWriter writer(top.path() + "/b");
  for (const char* path :
       {"x", "/etc/passwd", "../x", "1-model/../../x", "1-model//x", "1-model/", "1-model/./x",
        "5-evidence/receipt.json", "5-evidence/obligations/x.smt2", "1-model/a\nb", "1-model/\xc3\xa9"})
    EXPECT_THROW(writer.add_file(path, "x"), InternalError) << path;
  writer.add_file("1-model/x", "x");
  EXPECT_THROW(writer.add_file("1-model/x", "y"), InternalError);
}

TEST(Writer, EveryRowLeadsToItsQueries) {
  const TemporaryFolder top;
  const Sample sample;
  const auto publish = [&](BundleWriter& writer, const Sample& what) {
    for (const char* path : {"1-model/model.onnxtxt", "1-model/contract.toml", "2-candidates/c",
                             "3-selection/plan.hm", "4-artifact/launch.json"})
      writer.add_file(path, path);
    writer.publish(FixedList(what.obligations), what.obligations, what.identities, what.observations);
  };
  {
    BundleWriter writer(top.path() + "/b");
    EXPECT_THROW(publish(writer, sample), InternalError) << "queries were not added";
  }
  {
    Sample none;
    none.obligations.resize(1);
    none.obligations[0].outcome = Outcome::unrun(Reason::unsupported, "");
    BundleWriter writer(top.path() + "/b");
    writer.add_query("(check-sat)\n");
    EXPECT_THROW(publish(writer, none), InternalError) << "a query of no obligation";
  }
  EXPECT_FALSE(fs::exists(top.path() + "/b"));
}

}  // namespace
}  // namespace hallmark::bundle
