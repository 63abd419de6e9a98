// Bars of the first bundle that no other test holds.
#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "cases.h"

namespace hallmark {
namespace {

// The cost of validating the matrix product does not grow with its sizes: where the sizes stay symbols, the
// obligations about the kernel have the same queries.
TEST(Bars, MatmulOf256AndOf8192HaveTheSameQueries) {
  const auto queries_of = [](const std::string& size) {
    const TemporaryFolder top;
    pipeline::RunRequest r = testing::request("matmul", top.path() + "/out");
    std::string contract = read_file(testing::corpus() + "/models/matmul.contract.toml");
    std::string changed;
    for (std::size_t at = 0; at < contract.size();) {
      const std::size_t end = contract.find('\n', at) + 1;
      const std::string line = contract.substr(at, end - at);
      const bool dimension = line.starts_with("M = ") || line.starts_with("N = ") || line.starts_with("K = ");
      changed += dimension ? line.substr(0, 4) + size + "\n" : line;
      at = end;
    }
    write_file(top.path() + "/c.toml", changed);
    r.contract = top.path() + "/c.toml";
    const pipeline::RunResult result = pipeline::run(r, [](const std::string&) {});
    std::map<std::string, std::pair<std::size_t, std::set<std::string>>> out;  // obligation -> queries
    for (const Obligation& o : result.report.obligations)
      if (o.level == Level::source || o.level == Level::ptx)
        for (const QueryRecord& query : o.outcome.queries) {
          ++out[o.id].first;
          out[o.id].second.insert(query.sha256);
        }
    return out;
  };
  const auto small = queries_of("256"), large = queries_of("8192");
  std::size_t total_small = 0, total_large = 0, same = 0;
  for (const auto& [id, queries] : small) total_small += queries.first;
  for (const auto& [id, queries] : large) {
    total_large += queries.first;
    const auto other = small.find(id);
    same += other != small.end() && other->second == queries ? queries.first : 0;
  }
  ASSERT_GT(total_small, 20u);
  EXPECT_EQ(total_small, total_large) << "as many queries, whatever the size";
  RecordProperty("same", static_cast<int>(same));
  RecordProperty("all", static_cast<int>(total_large));
  // With fixed sizes the numbers themselves stand in some queries; with symbols every query is the same.
  EXPECT_EQ(small.size(), large.size());
}

TEST(Bars, WithSymbolsTheQueriesDoNotKnowTheSize) {
  const auto hashes = [](const std::string& high) {
    const TemporaryFolder top;
    pipeline::RunRequest r = testing::request("matmul", top.path() + "/out");
    std::string contract = read_file(testing::corpus() + "/models/matmul.contract.toml");
    write_file(top.path() + "/c.toml", contract);
    write_file(top.path() + "/w.toml", "version = 1\nname = \"w\"\n[[point]]\nsizes = { M = " + high +
                                           ", N = " + high + ", K = " + high + " }\n");
    r.contract = top.path() + "/c.toml";
    r.context.workload = top.path() + "/w.toml";
    std::set<std::string> out;
    for (const Obligation& o : pipeline::run(r, [](const std::string&) {}).report.obligations)
      for (const QueryRecord& query : o.outcome.queries) out.insert(query.sha256);
    return out;
  };
  const std::set<std::string> small = hashes("256");
  ASSERT_GT(small.size(), 20u);
  EXPECT_EQ(small, hashes("1024"));
}

}  // namespace
}  // namespace hallmark
