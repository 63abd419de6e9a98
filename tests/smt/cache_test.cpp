#include "smt/cache.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/process.h"
#include "base/secret.h"
#include "base/sha256.h"
#include "tests/smt/programs.h"

namespace hallmark::smt {
namespace {

Answer answered(Answer::Kind kind) {
  Answer out;
  out.kind = kind;
  out.reason = Reason::none;
  return out;
}

SolverIdentity sample_identity() {
  return {"z3", "Z3 version 4.8.12", std::string(64, 'a'), {{"libc.so.6", std::string(64, 'b')}}, "-in", 0};
}

TEST(Cache, RemembersAnswersAndOnlyAnswers) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/cache.sqlite";
  {
    VerdictCache cache(path);
    EXPECT_EQ(cache.warning(), "");
    cache.store("k1", answered(Answer::Kind::unsat), sample_identity());
    cache.store("k2", answered(Answer::Kind::sat), sample_identity());
    cache.store("k3", Answer::failure(Reason::resource_limit, "x"), sample_identity());
  }
  VerdictCache cache(path);
  EXPECT_TRUE(cache.find("k1")->is_unsat());
  EXPECT_TRUE(cache.find("k1")->cached);
  EXPECT_TRUE(cache.find("k2")->is_sat());
  EXPECT_FALSE(cache.find("k3"));
  cache.store("k4", answered(Answer::Kind::unsat), sample_identity());
  cache.withdraw("z3");
  EXPECT_FALSE(cache.find("k4"));
  EXPECT_TRUE(cache.find("k1"));
}

TEST(Cache, AnythingThatDiffersIsAMiss) {
  const std::string base = VerdictCache::key("text", sample_identity(), {});
  EXPECT_EQ(base, VerdictCache::key("text", sample_identity(), {}));
  EXPECT_NE(base, VerdictCache::key("text2", sample_identity(), {}));
  EXPECT_NE(base, VerdictCache::key("text", sample_identity(), {}, "hallmark-smt-2"));
  for (int i = 0; i < 6; ++i) {
    SolverIdentity id = sample_identity();
    if (i == 0) id.version = "Z3 version 4.8.13";
    if (i == 1) id.binary_sha256[0] = 'b';
    if (i == 2) id.libraries[0].second[0] = 'c';
    if (i == 3) id.options += " x";
    if (i == 4) id.seed = 1;
    if (i == 5) id.name = "cvc5";
    EXPECT_NE(base, VerdictCache::key("text", id, {})) << i;
  }
  Budget budget;
  budget.z3_units += 1;
  EXPECT_NE(base, VerdictCache::key("text", sample_identity(), budget));
}

TEST(Cache, ADamagedFileIsLeftAlone) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/cache.sqlite";
  write_file(path, std::string(8192, 'x'));
  VerdictCache cache(path);
  EXPECT_NE(cache.warning(), "");
  EXPECT_FALSE(cache.find("k1"));
  cache.store("k1", answered(Answer::Kind::unsat), sample_identity());
  EXPECT_FALSE(cache.find("k1"));
  EXPECT_NE(VerdictCache("/no/such/folder/cache").warning(), "");
}

TEST(Cache, AChangedRowIsNotBelieved) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/cache.sqlite";
  VerdictCache(path).store("k1", answered(Answer::Kind::sat), sample_identity());
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(raw, "update verdict set answer = 'unsat'", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(raw);
  VerdictCache cache(path);
  EXPECT_FALSE(cache.find("k1"));
  EXPECT_NE(cache.warning(), "");
}

// A row that says `unsat` under a seal that anybody can compute.
TEST(Cache, AFileThatLiesIsNotBelieved) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/cache.sqlite";
  VerdictCache(path).store("k1", answered(Answer::Kind::sat), sample_identity());
  for (const std::string& seal : {sha256_hex("k1:unsat"), seal("", "k1:unsat"), std::string()}) {
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &raw), SQLITE_OK);
    const std::string lie = "update verdict set answer = 'unsat', seal = '" + seal + "'";
    ASSERT_EQ(sqlite3_exec(raw, lie.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(raw);
    VerdictCache cache(path);
    EXPECT_FALSE(cache.find("k1"));
    EXPECT_NE(cache.warning(), "");
  }
}

// A file that was carried over from another machine together with what lay beside it.
TEST(Cache, AFileThatSomebodyElseSealedIsNotBelieved) {
  TemporaryFolder folder;
  const std::string path = folder.path() + "/cache.sqlite";
  ::setenv("XDG_STATE_HOME", (folder.path() + "/attacker").c_str(), 1);
  VerdictCache(path).store("k1", answered(Answer::Kind::unsat), sample_identity());
  EXPECT_TRUE(VerdictCache(path).find("k1"));
  write_file(path + ".secret", read_file(secret_file()));
  ::setenv("XDG_STATE_HOME", (folder.path() + "/me").c_str(), 1);
  VerdictCache cache(path);
  EXPECT_FALSE(cache.find("k1"));
  EXPECT_NE(cache.warning(), "");
}

TEST(Cache, ASecondRunAnswersFromItWithTheSameRecords) {
  if (!find_tool("z3") || !find_tool("cvc5")) GTEST_SKIP() << "needs z3 and cvc5";
  TemporaryFolder folder;
  PortfolioOptions options;
  options.cache_path = folder.path() + "/cache.sqlite";
  Arena a;
  Outcome fresh;
  {
    Portfolio p(options);
    const Decision d = p.decide(small_query(a));
    EXPECT_FALSE(d.cached);
    fresh = d.outcome;
    EXPECT_EQ(fresh.state, State::proved);
  }
  Portfolio p(options);
  const Decision d = p.decide(small_query(a));
  EXPECT_TRUE(d.cached);
  EXPECT_EQ(d.outcome, fresh);
  const Decision wrong = p.decide(small_query(a, -1));
  EXPECT_FALSE(wrong.cached);
  EXPECT_FALSE(wrong.counterexample.empty());
  options.seed = 5;
  EXPECT_FALSE(Portfolio(options).decide(small_query(a)).cached);
}

}  // namespace
}  // namespace hallmark::smt
