// A bundle of 10,000 obligations: integrity and completeness in at most five seconds of one core.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/files.h"
#include "bundle/audit.h"
#include "bundle/layout.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

// Of this process, so that a busy machine does not decide the test.
double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// One kernel with 3,000 loads, each of them the subject of its kinds line by line, beside the sample's
// obligations.
testing::Sample large(std::string& ptx) {
  testing::Sample sample;
  std::string body;
  const std::string head = testing::sample_ptx;
  const std::size_t ret = head.rfind("ret;");
  std::size_t line =
      1 + static_cast<std::size_t>(std::count(head.begin(), head.begin() + static_cast<long>(ret), '\n'));
  std::erase_if(sample.obligations, [](const Obligation& o) {
    return o.level == Level::ptx && o.subject == "relu" &&
           (o.kind == ObligationKind::bounds || o.kind == ObligationKind::alignment ||
            o.kind == ObligationKind::init);
  });
  const auto add = [&](ObligationKind kind, std::size_t at) {
    Obligation o = testing::claim(kind, Level::ptx, "relu:" + std::to_string(at));
    o.outcome.state = State::proved;
    o.outcome.reason = Reason::none;
    o.outcome.discharged_by = {"syntactic"};
    sample.obligations.push_back(std::move(o));
  };
  // The accesses that the sample has already.
  std::size_t number = 1;
  for (std::size_t at = 0; at < head.size(); ++number) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const std::string text = head.substr(at, end - at);
    const bool load = text.find("ld.") != std::string::npos, store = text.find("st.") != std::string::npos;
    if (load || store)
      for (const ObligationKind kind :
           {ObligationKind::bounds, ObligationKind::alignment, ObligationKind::init})
        add(kind, number);
    at = end + 1;
  }
  for (int i = 0; i < 3'330; ++i, ++line) {
    body += "ld.global.f32 %f1, [%rd1];\n";
    for (const ObligationKind kind :
         {ObligationKind::bounds, ObligationKind::alignment, ObligationKind::init})
      add(kind, line);
  }
  ptx = head.substr(0, ret) + body + head.substr(ret);
  std::set<std::string> used;
  for (const Obligation& o : sample.obligations)
    for (const QueryRecord& q : o.outcome.queries) used.insert(q.sha256);
  std::erase_if(sample.texts, [&](const auto& t) { return !used.contains(t.first); });
  return sample;
}

TEST(LargeBundle, IntegrityAndCompletenessTakeAtMostFiveSeconds) {
  const TemporaryFolder top;
  const std::string folder = top.path() + "/b";
  std::string ptx;
  const testing::Sample sample = large(ptx);
  ASSERT_GE(sample.obligations.size(), 10'000u);
  {
    BundleWriter writer(folder);
    writer.add_file("1-model/model.onnxtxt", "Relu\n");
    writer.add_file("1-model/contract.toml", "n = \"1..1000\"\n");
    writer.add_file("2-candidates/candidates.json", "[]\n");
    writer.add_file("3-selection/plan.hm", "Y[i] = max(X[i], 0)\n");
    writer.add_file("4-artifact/relu.cu", testing::sample_cuda);
    writer.add_file("4-artifact/relu.ptx", ptx);
    writer.add_file("4-artifact/launch.json", testing::sample_launch);
    writer.add_queries(sample.obligations, sample.texts);
    writer.publish(FixedList(sample.obligations), sample.obligations, sample.identities, sample.observations);
  }
  const AuditOptions options = testing::audit_with(sample);
  const double start = cpu_seconds();
  const OpenBundle opened = open_bundle(folder);
  const double opening = cpu_seconds() - start;
  ASSERT_TRUE(opened.findings.empty()) << opened.findings[0].message;
  AuditOptions complete = options;
  complete.reestablish = nullptr;
  const double middle = cpu_seconds();
  const AuditResult result = audit(folder, complete);
  const double whole = cpu_seconds() - middle;
  EXPECT_EQ(result.exit_code, 3) << render(result.report, Format::text).substr(0, 2000);
  EXPECT_EQ(result.not_reestablished, sample.obligations.size());
  EXPECT_LT(whole, 5.0);
  RecordProperty("opening_ms", static_cast<int>(opening * 1000));
  RecordProperty("audit_ms", static_cast<int>(whole * 1000));
  std::printf("integrity %.2f s, integrity and completeness %.2f s for %zu obligations\n", opening, whole,
              sample.obligations.size());
  // One of them left out: it is found.
  complete.derive_obligations = [&](const OpenBundle&) {
    std::vector<Obligation> list = sample.obligations;
    list.push_back(testing::claim(ObligationKind::race, Level::ptx, "relu:9999"));
    return list;
  };
  EXPECT_EQ(audit(folder, complete).exit_code, 5);
}

}  // namespace
}  // namespace hallmark::bundle
