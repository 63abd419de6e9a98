#include "bundle/spool.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/secret.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

namespace fs = std::filesystem;
using testing::claim;

std::string only_file(const std::string& folder) {
  std::string out;
  for (const auto& entry : fs::directory_iterator(folder)) out = entry.path().string();
  return out;
}

// Whose secret is found from now on.
void become(const std::string& state_folder) {
  ::setenv("XDG_STATE_HOME", state_folder.c_str(), 1);
}

struct Me {
  explicit Me(const std::string& state_folder) { become(state_folder); }
};

struct Spooling : ::testing::Test {
  TemporaryFolder top;
  Me me{top.path() + "/me"};
  Spool spool{top.path() + "/b/", sha256_hex("context")};
  QueryTexts texts;
  Obligation solved = claim(ObligationKind::race, Level::source, "relu");
  Obligation asked = claim(ObligationKind::race, Level::source, "relu");
  void SetUp() override { testing::prove(solved, texts); }
};

TEST_F(Spooling, ALaterRunPicksUpWhatIsThere) {
  EXPECT_FALSE(spool.find(asked));
  spool.keep(solved, texts);
  EXPECT_EQ(spool.folder(), top.path() + "/b.spool");
  const Spool later(top.path() + "/b", sha256_hex("context"));
  const std::optional<Spooled> found = later.find(asked);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->obligation.outcome, solved.outcome);
  EXPECT_EQ(found->queries, texts);
  spool.remove();
  EXPECT_FALSE(later.find(asked));
}

TEST_F(Spooling, AnotherContextOrStatementFindsNothing) {
  spool.keep(solved, texts);
  EXPECT_FALSE(Spool(top.path() + "/b", sha256_hex("another solver")).find(asked));
  asked.statement += ", for n = 3";
  EXPECT_FALSE(spool.find(asked));
}

TEST_F(Spooling, AnyChangedByteIsSolvedAgain) {
  testing::refute(solved, "thread 5 reads x[5]");
  spool.keep(solved, {});
  const std::string file = only_file(spool.folder()), bytes = read_file(file);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write_file(file, changed);
    EXPECT_FALSE(spool.find(asked)) << "byte " << i;
  }
  write_file(file, bytes.substr(0, bytes.size() / 2));
  EXPECT_FALSE(spool.find(asked));
  write_file(file, bytes);
  EXPECT_TRUE(spool.find(asked));
}

// Not even under the right seal: the evidence has to carry the state.
TEST_F(Spooling, AForgedProofWithoutEvidenceIsNotPickedUp) {
  Obligation open = solved;
  open.outcome = Outcome::unrun(Reason::gave_up, "");
  spool.keep(open, {});
  const std::string file = only_file(spool.folder()), bytes = read_file(file);
  json::value value = parse_json(bytes.substr(bytes.find('\n') + 1), file);
  json::object& row = value.at("body").at("obligation").as_object();
  const auto sealed = [&] {
    const std::string contents = canonical_json(value);
    write_file(file,
               seal(local_secret(), fs::path(file).filename().string() + "\n" + contents) + "\n" + contents);
  };
  sealed();
  EXPECT_TRUE(spool.find(asked)) << "the seal that this test makes is the right one";
  row["state"] = "proved";
  row["reason"] = "none";
  row["discharged_by"] = json::array{"z3", "cvc5"};
  sealed();
  EXPECT_FALSE(spool.find(asked));
}

// A folder that came with a checkout or an archive, whole and consistent, and with the secret it was made
// with: somebody else's word.
TEST_F(Spooling, AProofThatSomebodyElseSealedIsNotPickedUp) {
  become(top.path() + "/attacker");
  const Spool theirs(top.path() + "/b", sha256_hex("context"));
  solved.outcome.queries.clear();
  solved.outcome.discharged_by = {"syntactic"};
  theirs.keep(solved, {});
  EXPECT_TRUE(theirs.find(asked)) << "well formed, and as it should be but for the seal";
  write_file(theirs.folder() + "/secret", read_file(secret_file()));
  become(top.path() + "/me");
  EXPECT_FALSE(Spool(top.path() + "/b", sha256_hex("context")).find(asked));
  // Without any seal, or under that of the empty secret.
  const std::string file =
      theirs.folder() + "/" +
      sha256_hex(json::serialize(json::array{sha256_hex("context"), statement_leaf(asked)})) + ".json";
  const std::string bytes = read_file(file), contents = bytes.substr(bytes.find('\n') + 1);
  for (const std::string& first :
       {std::string(), seal("", fs::path(file).filename().string() + "\n" + contents) + "\n"}) {
    write_file(file, first + contents);
    EXPECT_FALSE(spool.find(asked));
  }
}

TEST_F(Spooling, WithoutASecretNothingIsKept) {
  ::unsetenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  ::unsetenv("HOME");
  const Spool nobody(top.path() + "/n", sha256_hex("context"));
  nobody.keep(solved, texts);
  EXPECT_FALSE(nobody.find(asked));
  EXPECT_FALSE(fs::exists(nobody.folder()));
  if (home != nullptr) ::setenv("HOME", before.c_str(), 1);
}

// needs U-11: what another run might decide otherwise is never final.
TEST_F(Spooling, MachineDependentOutcomesAreNotKept) {
  for (const Reason reason :
       {Reason::wall_limit, Reason::memory_limit, Reason::interrupted, Reason::solver_crash,
        Reason::solver_missing, Reason::tool_missing, Reason::not_scheduled, Reason::disagreement}) {
    solved.outcome = Outcome::unrun(reason, "");
    spool.keep(solved, {});
    EXPECT_FALSE(spool.find(asked)) << name(reason);
  }
  solved.outcome = Outcome::unrun(Reason::resource_limit, "");
  spool.keep(solved, {});
  EXPECT_TRUE(spool.find(asked));
}

TEST_F(Spooling, KeepsNothingThatIsNotWellFormed) {
  EXPECT_THROW(spool.keep(solved, {}), InternalError) << "query texts are missing";
  solved.outcome.discharged_by.clear();
  EXPECT_THROW(spool.keep(solved, texts), InternalError);
}

}  // namespace
}  // namespace hallmark::bundle
