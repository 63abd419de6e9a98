// The cache of settled obligations: what it gives back is what was kept, and no changed, moved or foreign
// file makes a verdict.
#include "bundle/obligation_cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/secret.h"

namespace hallmark::bundle {
namespace {

namespace fs = std::filesystem;

Obligation stated(const std::string& name = "r") {
  Obligation o;
  o.id = "rule/" + name + "/rule";
  o.kind = ObligationKind::rule;
  o.level = Level::rule;
  o.subject = name;
  o.statement = "x = x";
  o.scope = "any N >= 0";
  return o;
}

Obligation proved(const std::string& name = "r") {
  Obligation o = stated(name);
  o.strength = "any-type";
  o.outcome.state = State::proved;
  o.outcome.reason = Reason::none;
  o.outcome.discharged_by = {"syntactic"};
  o.outcome.detail = "laws: EXT";
  return o;
}

Obligation refuted() {
  Obligation o = stated();
  o.outcome.state = State::refuted;
  o.outcome.reason = Reason::none;
  o.outcome.discharged_by = {"evaluator"};
  o.outcome.witness = Witness{"element [0] differs", {{"N", "1"}}, "0", "1", "evaluator"};
  return o;
}

// Without the flush to the disk that write_file makes.
void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::string entry_of(const std::string& folder) {
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".json") return entry.path().string();
  return {};
}

TEST(ObligationCache, GivesBackWhatWasKeptUnderTheSameContextAlone) {
  TemporaryFolder folder;
  const ObligationCache cache(folder.path() + "/c", "context");
  EXPECT_EQ(cache.warning(), "");
  EXPECT_FALSE(cache.find(stated()));
  cache.keep(proved());
  const auto found = cache.find(stated());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, proved().outcome);
  EXPECT_EQ(found->strength, "any-type");
  EXPECT_FALSE(ObligationCache(folder.path() + "/c", "another").find(stated()));
  EXPECT_FALSE(cache.find(stated("s")));
  Obligation other = stated();
  other.statement = "x = y";
  EXPECT_FALSE(cache.find(other));
}

TEST(ObligationCache, KeepsNothingThatAnotherRunMightDecideOtherwise) {
  TemporaryFolder folder;
  const ObligationCache cache(folder.path() + "/c", "context");
  Obligation open = stated();
  open.outcome = Outcome::unrun(Reason::resource_limit, "");
  cache.keep(open);
  EXPECT_FALSE(cache.find(stated()));
}

// Every byte of a file in turn: a changed file is none.
TEST(ObligationCache, AFlippedByteMakesNoVerdict) {
  TemporaryFolder folder;
  const ObligationCache cache(folder.path() + "/c", "context");
  cache.keep(refuted());
  const std::string path = entry_of(folder.path() + "/c"), good = read_file(path);
  ASSERT_TRUE(cache.find(stated()));
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const char flip : {'\x01', '\x20'}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      put(path, bad);
      EXPECT_FALSE(cache.find(stated())) << i;
    }
  put(path, good.substr(0, good.size() / 2));
  EXPECT_FALSE(cache.find(stated()));
  put(path, "");
  EXPECT_FALSE(cache.find(stated()));
  put(path, good);
  EXPECT_TRUE(cache.find(stated()));
}

// A file that says `proved` where another obligation was, or that was made with another secret.
TEST(ObligationCache, AFileThatLiesMakesNoVerdict) {
  TemporaryFolder folder;
  const std::string own = folder.path() + "/own", foreign = folder.path() + "/foreign";
  ::setenv("XDG_STATE_HOME", foreign.c_str(), 1);
  const ObligationCache other(foreign, "context");
  // A secret that lies in the folder, as one that was carried along would, is not asked.
  fs::create_directories(own);
  fs::copy_file(secret_file(), own + "/secret");
  ::setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
  const ObligationCache cache(own, "context");
  cache.keep(refuted());
  other.keep(proved());
  const std::string path = entry_of(own), lie = read_file(entry_of(foreign));
  ASSERT_EQ(fs::path(path).filename(), fs::path(entry_of(foreign)).filename());
  put(path, lie);
  EXPECT_FALSE(cache.find(stated())) << "sealed with another secret";
  // The lie under a seal that anybody can make.
  const std::string body = lie.substr(lie.find('\n') + 1);
  put(path, seal("", fs::path(path).filename().string() + "\n" + body) + "\n" + body);
  EXPECT_FALSE(cache.find(stated()));
  // A file of this cache under another obligation's name.
  cache.keep(proved("s"));
  std::string moved;
  for (const auto& entry : fs::directory_iterator(own))
    if (entry.path().extension() == ".json" && entry.path().string() != path) moved = entry.path().string();
  put(path, read_file(moved));
  EXPECT_FALSE(cache.find(stated()));
}

TEST(ObligationCache, WithoutASecretNothingIsKeptOrFound) {
  TemporaryFolder folder;
  const std::string own = folder.path() + "/c";
  ::setenv("XDG_STATE_HOME", folder.path().c_str(), 1);
  ObligationCache(own, "context").keep(proved());
  EXPECT_TRUE(ObligationCache(own, "context").find(stated()));
  fs::permissions(secret_file(), fs::perms::owner_all | fs::perms::others_read);
  const ObligationCache open(own, "context");
  EXPECT_NE(open.warning(), "");
  EXPECT_FALSE(open.find(stated()));
  put(folder.path() + "/file", "x");
  EXPECT_NE(ObligationCache(folder.path() + "/file", "context").warning(), "");
}

}  // namespace
}  // namespace hallmark::bundle
