#include "bundle/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "bundle/layout.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

namespace fs = std::filesystem;

using testing::Sample;

struct Auditing : ::testing::Test {
  TemporaryFolder top;
  std::string folder = top.path() + "/b";
  Sample sample;
};

TEST_F(Auditing, AnHonestBundleIsMetAndSaysTheSentence) {
  sample.write(folder);
  const AuditResult result = audit(folder, testing::audit_with(sample));
  EXPECT_EQ(result.exit_code, 0) << render(result.report, Format::text);
  EXPECT_TRUE(result.report.findings.empty());
  EXPECT_TRUE(result.report.verdict.starts_with("For every input inside the contract"))
      << result.report.verdict;
}

// Issue bar 9 and the design's section 4: the shape that everybody reads.
TEST_F(Auditing, JsonHasTheShapeOfTheDesign) {
  testing::refute(sample.at("bounds/relu/ptx"), "thread 5 reads x[5]");
  sample.at("value/relu/ptx").outcome = Outcome::unrun(Reason::resource_limit, "z3: canceled");
  sample.write(folder);
  const AuditResult result = audit(folder, testing::audit_with(sample));
  EXPECT_EQ(result.exit_code, 1);
  const json::value out = parse_json(render(result.report, Format::json), "audit");
  EXPECT_TRUE(out.at("verdict").is_string());
  EXPECT_EQ(out.at("counts").at("proved").as_int64(),
            static_cast<std::int64_t>(sample.obligations.size()) - 2);
  EXPECT_EQ(out.at("counts").at("refuted").as_int64(), 1);
  EXPECT_EQ(out.at("counts").at("unrun").as_int64(), 1);
  EXPECT_EQ(out.at("exit_code").as_int64(), 1);
  ASSERT_EQ(out.at("obligations").as_array().size(), sample.obligations.size());
  for (const json::value& row : out.at("obligations").as_array()) {
    for (const char* member :
         {"id", "statement", "kind", "level", "subject", "scope", "strength", "state", "reason",
          "discharged_by", "assumptions", "query", "witness", "location", "replay"})
      EXPECT_TRUE(row.as_object().contains(member)) << member;
    const std::string id(row.at("id").as_string());
    EXPECT_EQ(row.at("statement").as_string(), sha256_hex(sample.at(id).statement));
    EXPECT_EQ(row.at("replay").as_string(), replay_command(folder, sample.at(id)));
    // Each proved row leads to files whose digests check.
    if (row.at("state") == "proved") {
      EXPECT_FALSE(row.at("query").as_array().empty()) << id;
      for (const json::value& query : row.at("query").as_array())
        EXPECT_EQ(sha256_file(folder + "/" + std::string(query.at("file").as_string())),
                  std::string(query.at("sha256").as_string()));
    }
  }
}

TEST_F(Auditing, StatesThatCannotBeAskedAreNotEstablished) {
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  // z3 is missing on the auditor's machine: everything comes back undecided.
  options.reestablish = [](const OpenBundle&, Obligation o) {
    o.outcome = Outcome::unrun(Reason::solver_missing, "z3");
    return std::optional(o);
  };
  const AuditResult result = audit(folder, options);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.not_reestablished, sample.obligations.size());
}

TEST_F(Auditing, OneSolverInTheAuditIsNotEnoughWhereThePolicyWantsBoth) {
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  options.reestablish = [&](const OpenBundle&, const Obligation& asked) {
    Obligation o = asked;
    QueryTexts texts;
    testing::prove(o, texts, {"z3"});
    return std::optional(o);
  };
  options.versions = {{"cvc5", "another"}};
  const AuditResult result = audit(folder, options);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.not_reestablished, sample.obligations.size() - 1)
      << "the rewrite step needs one solver only";
}

TEST_F(Auditing, WithoutDerivationTheListIsNotEstablished) {
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  options.derive_obligations = nullptr;
  EXPECT_EQ(audit(folder, options).exit_code, 3);
  options.derive_obligations = [](const OpenBundle&) -> std::vector<Obligation> {
    throw Refusal("E0200", "operator 'Einsum' is not understood");
  };
  const AuditResult result = audit(folder, options);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(render(result.report, Format::text).find("Einsum"), std::string::npos);
  options.derive_obligations = [](const OpenBundle&) -> std::vector<Obligation> {
    throw InternalError("ours");
  };
  EXPECT_THROW(audit(folder, options), InternalError) << "a fault of ours is never a verdict";
}

TEST_F(Auditing, ADisagreementFoundNowIsAnAlarm) {
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  options.reestablish = [&](const OpenBundle&, Obligation o) {
    if (o.id == "race/relu/ptx") o.outcome = Outcome::unrun(Reason::disagreement, "z3 unsat, cvc5 sat");
    return std::optional(o);
  };
  const AuditResult result = audit(folder, options);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(result.report.verdict.find("Alarm") != std::string::npos) << result.report.verdict;
}

TEST_F(Auditing, TheValidatorsCountsAreCompared) {
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  std::map<std::string, std::size_t> right{{"load global", 1}, {"store global", 1}};
  options.ptx_counts = [&](const OpenBundle&) {
    return std::map<std::string, std::map<std::string, std::size_t>>{{"relu", right}};
  };
  EXPECT_EQ(audit(folder, options).exit_code, 0);
  right["store global"] = 2;
  EXPECT_EQ(audit(folder, options).exit_code, 5);
}

TEST_F(Auditing, AnEmptyListIsExit3) {
  sample.obligations.clear();
  sample.identities.outputs.clear();
  BundleWriter writer(folder);
  for (const char* path :
       {"1-model/model.onnxtxt", "1-model/contract.toml", "2-candidates/c", "3-selection/plan.hm"})
    writer.add_file(path, path);
  writer.add_file("4-artifact/launch.json", "{\"buffers\": [], \"launches\": []}\n");
  writer.publish(FixedList({}), {}, sample.identities, sample.observations);
  const AuditResult result = audit(folder, testing::audit_with(sample));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.report.verdict.find("Nothing to prove"), std::string::npos);
}

// Soundness E7: an old bundle is consistent in itself; only expected digests or its age give it away.
TEST_F(Auditing, ExpectedDigestsAndAge) {
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  options.policy.expected_digests["model"] = sha256_hex("Relu\n");
  EXPECT_EQ(audit(folder, options).exit_code, 0);
  options.policy.expected_digests["model"] = sha256_hex("today's model");
  EXPECT_EQ(audit(folder, options).exit_code, 3) << "intact, and of another model: the policy's matter";
  options.policy.expected_digests.clear();
  options.policy.max_age_days = 30;
  EXPECT_EQ(audit(folder, options).exit_code, 3) << "no clock was given";
  const std::int64_t finished = seconds_of_utc(sample.observations.finished);
  options.now = finished + 29 * 86'400;
  EXPECT_EQ(audit(folder, options).exit_code, 0);
  options.now = finished + 31 * 86'400;
  EXPECT_EQ(audit(folder, options).exit_code, 3);
  options.now = finished - 86'400;
  EXPECT_EQ(audit(folder, options).exit_code, 3);
}

TEST_F(Auditing, WherePeopleSignATimeMustBeSigned) {
  const PrivateKey key = PrivateKey::generate();
  sample.write(folder, {key});
  AuditOptions options = testing::audit_with(sample);
  options.policy.max_age_days = 30;
  options.now = seconds_of_utc(sample.observations.finished);
  options.pinned = {PrivateKey::generate().public_key()};
  EXPECT_EQ(audit(folder, options).exit_code, 5) << "signed by somebody else";
  options.pinned = {key.public_key()};
  EXPECT_EQ(audit(folder, options).exit_code, 0);
  // The receipt signed, and the time taken from an envelope that nobody signed.
  fs::remove(folder + "/" + observations_envelope_file);
  write_file(folder + "/" + manifest_file, manifest_text(list_folder(folder)));
  const AuditResult unsigned_time = audit(folder, options);
  EXPECT_EQ(unsigned_time.exit_code, 3);
  EXPECT_NE(render(unsigned_time.report, Format::text).find("E5317"), std::string::npos);
}

TEST_F(Auditing, APolicyMayBelieveTheReceiptInWriting) {
  sample.write(folder);
  AuditOptions options;
  options.policy.established = false;
  const AuditResult result = audit(folder, options);
  EXPECT_EQ(result.exit_code, 0) << render(result.report, Format::text);
  EXPECT_NE(render(result.report, Format::text).find("nothing was asked again"), std::string::npos);
}

TEST(Audit, NoSuchFolderIsAUserError) {
  EXPECT_THROW(audit("/no/such/folder", {}), UserError);
}

}  // namespace
}  // namespace hallmark::bundle
