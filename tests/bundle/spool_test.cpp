#include "bundle/spool.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
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

struct Spooling : ::testing::Test {
  TemporaryFolder top;
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

// Recomputed digests do not help either: the evidence has to carry the state.
TEST_F(Spooling, AForgedProofWithoutEvidenceIsNotPickedUp) {
  Obligation open = solved;
  open.outcome = Outcome::unrun(Reason::gave_up, "");
  spool.keep(open, {});
  const std::string file = only_file(spool.folder());
  json::value value = parse_json(read_file(file), file);
  json::object& row = value.at("body").at("obligation").as_object();
  row["state"] = "proved";
  row["reason"] = "";
  row["discharged_by"] = json::array{"z3", "cvc5"};
  value.as_object()["body_sha256"] = sha256_hex(canonical_json(value.at("body")));
  write_file(file, canonical_json(value));
  EXPECT_FALSE(spool.find(asked));
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
