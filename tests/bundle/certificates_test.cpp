// Certificates in a bundle: checked by every audit, named by their queries, and said of exactly the right
// obligations.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/sha256.h"
#include "bundle/answers.h"
#include "bundle/audit.h"
#include "bundle/explain.h"
#include "bundle/layout.h"
#include "certificate/certificate.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

constexpr const char* goal =
    "(declare-fun x () Int)(declare-fun y () Int)(assert (< x y))(assert (< y x))(check-sat)";

// A sample in which one obligation rests on a query that can be certified.
struct Certified : ::testing::Test {
  TemporaryFolder top;
  std::string folder = top.path() + "/b";
  testing::Sample sample;
  std::string query = sha256_hex(goal);
  std::string certificate = certificate::certificate_text({"farkas", query, {"close 0:1 1:1"}});

  void SetUp() override {
    Obligation& o = sample.at("bounds/relu/ptx");
    o.outcome.queries[0].sha256 = query;
    sample.texts[query] = goal;
    o.outcome.discharged_by.push_back(by_certificate);
    const std::set<std::string> used = [&] {
      std::set<std::string> out;
      for (const Obligation& each : sample.obligations)
        for (const QueryRecord& q : each.outcome.queries) out.insert(q.sha256);
      return out;
    }();
    std::erase_if(sample.texts, [&](const auto& t) { return !used.contains(t.first); });
  }
  // Writes the bundle with this text as certificate of this query.
  void write(const std::string& of, const std::string& text) const {
    BundleWriter writer(folder);
    writer.add_file("1-model/model.onnxtxt", "Relu\n");
    writer.add_file("1-model/contract.toml", "n = \"1..1000\"\n");
    writer.add_file("2-candidates/candidates.json", "[]\n");
    writer.add_file("3-selection/plan.hm", "Y[i] = max(X[i], 0)\n");
    writer.add_file("4-artifact/relu.cu", testing::sample_cuda);
    writer.add_file("4-artifact/relu.ptx", testing::sample_ptx);
    writer.add_file("4-artifact/launch.json", testing::sample_launch);
    writer.add_queries(sample.obligations, sample.texts);
    if (!of.empty()) writer.add_certificate(of, text);
    writer.publish(FixedList(sample.obligations), sample.obligations, sample.identities, sample.observations);
  }
  AuditResult audited() const { return audit(folder, testing::audit_with(sample)); }
  bool found(const char* code) const {
    for (const Finding& f : audited().report.findings)
      if (f.code == code) return true;
    return false;
  }
};

TEST_F(Certified, AGoodOneIsCheckedAndCounted) {
  write(query, certificate);
  const AuditResult result = audited();
  EXPECT_EQ(result.exit_code, 0) << render(result.report, Format::text);
  EXPECT_NE(render(result.report, Format::text).find("certificates checked without a solver: 1; 1 of "),
            std::string::npos);
  EXPECT_NE(render(result.report, Format::text).find("z3+cvc5+certificate"), std::string::npos);
  EXPECT_NE(explain(open_bundle(folder), "bounds/relu/ptx").find("certificate 5-evidence/certificates/"),
            std::string::npos);
}

TEST_F(Certified, OneThatProvesNothingIsExit5) {
  write(query, certificate::certificate_text({"farkas", query, {"close 0:1 1:2"}}));
  EXPECT_EQ(audited().exit_code, 5);
  EXPECT_TRUE(found("E5240"));
}

TEST_F(Certified, OneOfAnotherQueryIsExit5) {
  write(query, certificate::certificate_text({"farkas", sha256_hex("another"), {"close 0:1 1:1"}}));
  EXPECT_EQ(audited().exit_code, 5);
}

TEST_F(Certified, ASaidOneThatIsMissingIsExit5) {
  write("", "");
  EXPECT_EQ(audited().exit_code, 5);
  EXPECT_TRUE(found("E5222"));
}

TEST_F(Certified, AnUnsaidOneIsExit5) {
  sample.at("bounds/relu/ptx").outcome.discharged_by.pop_back();
  write(query, certificate);
  EXPECT_EQ(audited().exit_code, 5);
  EXPECT_TRUE(found("E5222"));
}

TEST_F(Certified, OneOfNoQueryIsExit5) {
  write(query, certificate);
  write_file(folder + "/" + certificate_file(std::string(64, 'a')), certificate);
  EXPECT_EQ(audited().exit_code, 5);
  EXPECT_TRUE(found("E5222"));
}

}  // namespace
}  // namespace hallmark::bundle
