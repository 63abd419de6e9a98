// Bars of the first bundle that no other test holds.
#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "bundle/layout.h"
#include "bundle/observations.h"
#include "cases.h"

namespace hallmark {
namespace {

// The product's contract with each dimension as it is written here.
std::string contract_of(const std::string& dimension) {
  const std::string contract = read_file(testing::corpus() + "/models/matmul.contract.toml");
  std::string changed;
  for (std::size_t at = 0; at < contract.size();) {
    const std::size_t end = contract.find('\n', at) + 1;
    const std::string line = contract.substr(at, end - at);
    const bool size = line.starts_with("M = ") || line.starts_with("N = ") || line.starts_with("K = ");
    changed += size ? line.substr(0, 4) + dimension + "\n" : line;
    at = end;
  }
  return changed;
}

// Sizes that are numbers stand in the queries, which then differ and cost a solver more or less by luck; but
// 32 times the size is not 32 times the cost of validating the matrix product. With sizes as symbols it is
// the same (below).
TEST(Bars, NumbersAsSizesCostOneOrderWhateverTheyAre) {
  struct Cost {
    std::size_t queries = 0, obligations = 0;
    std::map<std::string, std::uint64_t> units;  // by solver
  };
  const auto cost_of = [](const std::string& size) {
    const TemporaryFolder top;
    pipeline::RunRequest r = testing::request("matmul", top.path() + "/out");
    r.effort.measure_units = true;
    write_file(top.path() + "/c.toml", contract_of(size));
    r.contract = top.path() + "/c.toml";
    const pipeline::RunResult result = pipeline::run(r, [](const std::string&) {});
    const std::string file = top.path() + "/out/" + bundle::observations_file;
    const bundle::Observations seen = bundle::parse_observations(read_file(file), file);
    Cost out;
    for (const Obligation& o : result.report.obligations) {
      if (o.level != Level::source && o.level != Level::ptx) continue;
      ++out.obligations;
      out.queries += o.outcome.queries.size();
      for (const QueryRecord& query : o.outcome.queries) {
        const auto measured = seen.units.find(query.sha256);
        EXPECT_TRUE(measured != seen.units.end()) << "not measured: " << query.sha256 << " of " << o.id;
        if (measured == seen.units.end()) continue;
        for (const auto& [solver, units] : measured->second) out.units[solver] += units;
      }
    }
    return out;
  };
  const Cost small = cost_of("256"), large = cost_of("8192");
  ASSERT_GT(small.queries, 20u);
  EXPECT_EQ(small.obligations, large.obligations);
  std::uint64_t sum_small = 0, sum_large = 0;
  for (const char* solver : {"z3", "cvc5"}) {
    ASSERT_GT(small.units.count(solver), 0u) << solver << " was not measured";
    ASSERT_GT(large.units.count(solver), 0u) << solver << " was not measured";
    sum_small += small.units.at(solver);
    sum_large += large.units.at(solver);
    RecordProperty(std::string(solver) + " 256", std::to_string(small.units.at(solver)));
    RecordProperty(std::string(solver) + " 8192", std::to_string(large.units.at(solver)));
  }
  EXPECT_LT(sum_large, 3 * sum_small);
  EXPECT_LT(sum_small, 3 * sum_large);
}

// The cost of validating the matrix product does not grow with its sizes: the queries are the same for 256
// and 8192.
TEST(Bars, WithSymbolsTheQueriesDoNotKnowTheSize) {
  const auto hashes = [](const std::string& high) {
    const TemporaryFolder top;
    pipeline::RunRequest r = testing::request("matmul", top.path() + "/out");
    write_file(top.path() + "/c.toml", contract_of("{ low = 1, high = 8192 }"));
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
  EXPECT_EQ(small, hashes("8192"));
}

}  // namespace
}  // namespace hallmark
