// Waivers, baselines, the difference of two receipts, explanations, and the report for a browser.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "bundle/audit.h"
#include "bundle/diff.h"
#include "bundle/explain.h"
#include "bundle/html.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

using testing::Sample;

struct Inspect : ::testing::Test {
  TemporaryFolder top;
  std::string folder = top.path() + "/b";
  Sample sample;
};

std::string waiver_text(const std::string& id, const std::string& reason, const std::string& expires) {
  return "version = 1\n[[waive]]\nobligation = \"" + id + "\"\nreason = \"" + reason +
         "\"\nauthor = \"A. Person\"\nwhy = \"checked by hand\"\nexpires = \"" + expires + "\"\n";
}

TEST_F(Inspect, AWaiverExcusesOneOpenObligationAndIsCountedApart) {
  sample.at("value/relu/ptx").outcome = Outcome::unrun(Reason::gave_up, "");
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  options.now = seconds_of_utc("2026-06-01T00:00:00Z");
  EXPECT_EQ(audit(folder, options).exit_code, 3);
  options.waivers = parse_waivers(waiver_text("value/relu/ptx", "gave-up", "2026-12-31"), "w.toml");
  AuditResult result = audit(folder, options);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.report.waived.size(), 1u);
  EXPECT_NE(render(result.report, Format::text).find("unrun 1"), std::string::npos) << "still unrun";
  EXPECT_NE(render(result.report, Format::text).find("A. Person until 2026-12-31"), std::string::npos);
  // Expired, for another reason, or for another claim: nothing is excused.
  options.now = seconds_of_utc("2026-12-31T00:00:00Z");
  EXPECT_EQ(audit(folder, options).exit_code, 3);
  options.now = seconds_of_utc("2026-06-01T00:00:00Z");
  options.waivers = parse_waivers(waiver_text("value/relu/ptx", "resource-limit", "2026-12-31"), "w.toml");
  EXPECT_EQ(audit(folder, options).exit_code, 3);
  options.waivers[0].reason = Reason::gave_up;
  options.waivers[0].statement = std::string(64, '0');
  EXPECT_EQ(audit(folder, options).exit_code, 3) << "the statement is another one than was looked at";
}

TEST_F(Inspect, NothingWaivesARefutation) {
  testing::refute(sample.at("value/relu/ptx"), "x = 1");
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  options.now = seconds_of_utc("2026-06-01T00:00:00Z");
  options.waivers = parse_waivers(waiver_text("value/relu/ptx", "gave-up", "2026-12-31"), "w.toml");
  EXPECT_EQ(audit(folder, options).exit_code, 1);
  EXPECT_THROW(parse_waivers(waiver_text("a", "disagreement", "2026-12-31"), "w.toml"), UserError);
  EXPECT_THROW(parse_waivers(waiver_text("a", "gap", "31.12.2026"), "w.toml"), UserError);
}

TEST_F(Inspect, WaiversAreSignedWithStockOpenssl) {
  const std::string file = top.path() + "/w.toml";
  write_file(file, waiver_text("value/relu/ptx", "gave-up", "2026-12-31"));
  const PrivateKey key = PrivateKey::generate();
  write_file(top.path() + "/k.pem", key.pem());
  EXPECT_THROW(load_waivers(file, {key.public_key()}), UserError) << "unsigned";
  if (!find_tool("openssl")) GTEST_SKIP() << "openssl is not installed";
  ASSERT_TRUE(run_process({"openssl", "pkeyutl", "-sign", "-rawin", "-inkey", top.path() + "/k.pem", "-in",
                           file, "-out", file + ".sig"})
                  .ok());
  EXPECT_EQ(load_waivers(file, {key.public_key()}).size(), 1u);
  EXPECT_THROW(load_waivers(file, {PrivateKey::generate().public_key()}), UserError) << "a foreign key";
  write_file(file, waiver_text("value/relu/ptx", "gave-up", "2027-12-31"));
  EXPECT_THROW(load_waivers(file, {key.public_key()}), UserError) << "edited after it was signed";
}

TEST_F(Inspect, ABaselineForbidsWhatIsNewlyOpen) {
  sample.at("value/relu/ptx").outcome = Outcome::unrun(Reason::gap, "");
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  options.policy.tolerate.push_back({Reason::gap, {}});
  EXPECT_EQ(audit(folder, options).exit_code, 0);
  options.baseline.emplace();
  for (const Obligation& o : sample.obligations) (*options.baseline)[o.id] = o.outcome.state;
  EXPECT_EQ(audit(folder, options).exit_code, 0) << "it was open before";
  (*options.baseline)["value/relu/ptx"] = State::proved;
  EXPECT_EQ(audit(folder, options).exit_code, 3);
  options.baseline->erase("value/relu/ptx");
  EXPECT_EQ(audit(folder, options).exit_code, 3) << "the last receipt did not have it";
}

// Feature 20 and issue bar 2: a verdict that a pinned key signed and this audit does not reach.
TEST_F(Inspect, ASignedVerdictThatDoesNotHoldIsFoundByProvingAgain) {
  const PrivateKey key = PrivateKey::generate();
  sample.write(folder, {key});
  AuditOptions options = testing::audit_with(sample);
  options.pinned = {key.public_key()};
  EXPECT_EQ(audit(folder, options).exit_code, 0);
  options.reestablish = [&](const OpenBundle&, Obligation o) {
    if (o.id == "value/relu/ptx") o.outcome = Outcome::unrun(Reason::gave_up, "");
    return std::optional(o);
  };
  EXPECT_EQ(audit(folder, options).exit_code, 1);
  // What only this machine lacks says nothing about the signer.
  options.reestablish = [&](const OpenBundle&, Obligation o) {
    if (o.id == "value/relu/ptx") o.outcome = Outcome::unrun(Reason::solver_missing, "");
    return std::optional(o);
  };
  EXPECT_EQ(audit(folder, options).exit_code, 0);
}

TEST_F(Inspect, VersionsAreNotesAndWithStrictFailures) {
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  options.versions = {{"hallmark", "99"}};
  EXPECT_EQ(audit(folder, options).exit_code, 0);
  options.strict = true;
  EXPECT_EQ(audit(folder, options).exit_code, 3);
}

// Which build made it is part of the core: another one is a difference of versions, never tampering.
TEST_F(Inspect, AnotherBuildIsNoTampering) {
  const std::string theirs(64, '1'), ours(64, '2');
  sample.identities.tool_sha256 = theirs;
  sample.write(folder);
  AuditOptions options = testing::audit_with(sample);
  options.build = theirs;
  options.strict = true;
  EXPECT_EQ(audit(folder, options).exit_code, 0);
  options.build = ours;
  const AuditResult strict = audit(folder, options);
  EXPECT_EQ(strict.exit_code, 3);
  EXPECT_EQ(strict.report.findings.at(0).code, "E5237");
  options.strict = false;
  const AuditResult result = audit(folder, options);
  EXPECT_EQ(result.exit_code, 0);
  ASSERT_EQ(result.report.other_versions.size(), 1u);
  EXPECT_EQ(result.report.other_versions[0],
            "build of hallmark: the receipt was made with sha256:" + theirs + ", here is sha256:" + ours);
  // A receipt that does not say it is read as well.
  sample.identities.tool_sha256.clear();
  sample.write(top.path() + "/unsaid");
  EXPECT_EQ(audit(top.path() + "/unsaid", options).exit_code, 0);
  options.strict = true;
  EXPECT_EQ(audit(top.path() + "/unsaid", options).exit_code, 3);
}

TEST_F(Inspect, DiffNamesWhatChanged) {
  sample.write(folder);
  Sample after;
  testing::refute(after.at("value/relu/ptx"), "x = 1");
  std::erase_if(after.obligations, [](const Obligation& o) { return o.id == "rounding/Y/plan"; });
  after.identities.assumptions.push_back({"new", "something else is trusted", "nobody"});
  after.identities.tool_version = "9";
  after.write(top.path() + "/c");
  const OpenBundle a = open_bundle(folder), b = open_bundle(top.path() + "/c");
  const Diff found = diff(a, b);
  EXPECT_EQ(found.exit_code, 1);
  const std::string text = diff_text(found);
  EXPECT_NE(text.find("state      value/relu/ptx: proved -> refuted"), std::string::npos) << text;
  EXPECT_NE(text.find("removed    rounding/Y/plan"), std::string::npos) << text;
  EXPECT_NE(text.find("assumption new"), std::string::npos) << text;
  EXPECT_NE(text.find("version    hallmark"), std::string::npos) << text;
  EXPECT_TRUE(diff(a, a).changes.empty());
  EXPECT_EQ(diff(a, a).exit_code, 0);
  std::filesystem::remove(folder + "/4-artifact/relu.cu");
  EXPECT_THROW(diff(open_bundle(folder), b), UserError);
}

TEST_F(Inspect, ExplainSaysClaimStatePlaceAndReplay) {
  testing::refute(sample.at("value/relu/ptx"), "x = 1");
  sample.at("value/relu/ptx").location = {"4-artifact/relu.cu", 3, 1, ""};
  sample.write(folder);
  const std::string text = explain(open_bundle(folder), "value/relu/ptx");
  EXPECT_NE(text.find(sample.at("value/relu/ptx").statement), std::string::npos) << text;
  EXPECT_NE(text.find("State: refuted"), std::string::npos) << text;
  EXPECT_NE(text.find("blockIdx.x * 128u"), std::string::npos) << text;
  EXPECT_NE(text.find("hallmark replay " + folder + " value/relu/ptx"), std::string::npos) << text;
  EXPECT_THROW(explain(open_bundle(folder), "no/such/id"), UserError);
}

TEST_F(Inspect, TheHtmlReportIsOneFileThatLoadsNothing) {
  testing::refute(sample.at("value/relu/ptx"), "<script>alert(1)</script>");
  sample.write(folder);
  const std::string page = render_html(open_bundle(folder));
  EXPECT_EQ(page, render_html(open_bundle(folder)));
  EXPECT_EQ(page.find("<script>alert"), std::string::npos) << "what comes from a bundle is escaped";
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find(" src="), std::string::npos);
  for (const Obligation& o : sample.obligations)
    EXPECT_NE(page.find("<code>" + o.id + "</code>"), std::string::npos) << o.id;
  EXPECT_NE(page.find("max.f32"), std::string::npos) << "the PTX stands beside the CUDA text";
  std::filesystem::remove(folder + "/4-artifact/relu.cu");
  const std::string broken = render_html(open_bundle(folder));
  EXPECT_NE(broken.find("does not check"), std::string::npos);
  EXPECT_EQ(broken.find("max.f32"), std::string::npos) << "nothing of it is shown";
}

// Feature 19: the published schema accepts what is written and refuses a state without its evidence.
TEST_F(Inspect, TheReceiptKeepsItsPublishedSchema) {
  if (!run_process({"python3", "-c", "import jsonschema"}).ok())
    GTEST_SKIP() << "python3-jsonschema is not installed";
  testing::refute(sample.at("value/relu/ptx"), "x = 1");
  sample.write(folder);
  const std::string receipt = folder + "/5-evidence/receipt.json";
  const auto accepted = [&](const std::string& file) {
    return run_process({"python3", "-W", "ignore", "-c",
                        "import json, sys, jsonschema\n"
                        "schema = json.load(open(sys.argv[1]))\n"
                        "jsonschema.Draft202012Validator.check_schema(schema)\n"
                        "jsonschema.Draft202012Validator(schema).validate(json.load(open(sys.argv[2])))\n",
                        HALLMARK_SOURCE_DIR "/corpus/schemas/receipt-v1.schema.json", file})
        .ok();
  };
  EXPECT_TRUE(accepted(receipt));
  std::string text = read_file(receipt);
  const std::string state = "\"state\": \"refuted\"";
  text.replace(text.find(state), state.size(), "\"state\": \"unrun\"");
  write_file(top.path() + "/r.json", text);
  EXPECT_FALSE(accepted(top.path() + "/r.json")) << "unrun without a reason";
}

TEST_F(Inspect, TheMatrixAndTheMarkdownAddUp) {
  sample.write(folder);
  const AuditResult result = audit(folder, testing::audit_with(sample));
  std::size_t total = 0;
  for (const MatrixRow& row : matrix(result.report.obligations)) total += row.count;
  EXPECT_EQ(total, sample.obligations.size());
  EXPECT_NE(render(result.report, Format::text).find("z3+cvc5"), std::string::npos);
  Report odd;
  odd.subject = "a|b<c>";
  odd.verdict = "`x`\n# head";
  const std::string text = render(odd, Format::markdown);
  EXPECT_EQ(text.find("\n# head"), std::string::npos) << text;
  EXPECT_EQ(text.find("<c>"), std::string::npos) << text;
}

}  // namespace
}  // namespace hallmark::bundle
