#include "bundle/receipt.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "bundle/obligation_json.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

using testing::Sample;

Receipt receipt_of(const Sample& sample) {
  return make_receipt(FixedList(sample.obligations), sample.obligations, sample.identities,
                      {{"4-artifact/relu.cu", sha256_hex("b")}, {"1-model/m", sha256_hex("a")}});
}

std::map<std::string, std::string> statements(const Sample& sample) {
  std::map<std::string, std::string> out;
  for (const Obligation& o : sample.obligations) out[statement_digest(o)] = o.statement;
  return out;
}

TEST(Receipt, RoundTrips) {
  Sample sample;
  sample.identities.absent = {{"PTX of relu", Reason::tool_missing, "nvcc"}};
  testing::refute(sample.at("bounds/relu/source"), "thread 5 reads x[5]");
  sample.at("race/relu/ptx").outcome = Outcome::unrun(Reason::gave_up, "(incomplete \"quoted\")\nline two");
  const Receipt receipt = receipt_of(sample);
  const std::string text = receipt_text(receipt);
  const Receipt again = parse_receipt(text, "receipt.json", statements(sample));
  EXPECT_EQ(receipt_text(again), text);
  EXPECT_EQ(again.identities, receipt.identities);
  EXPECT_EQ(again.statements, receipt.statements);
  EXPECT_EQ(again.outcomes, receipt.outcomes);
  ASSERT_EQ(again.obligations.size(), receipt.obligations.size());
  for (std::size_t i = 0; i < again.obligations.size(); ++i)
    EXPECT_EQ(again.obligations[i].outcome, receipt.obligations[i].outcome) << receipt.obligations[i].id;
}

TEST(Receipt, SameInputsInAnyOrderGiveTheSameBytes) {
  Sample sample;
  const std::string text = receipt_text(receipt_of(sample));
  std::reverse(sample.obligations.begin(), sample.obligations.end());
  EXPECT_EQ(receipt_text(receipt_of(sample)), text);
}

TEST(Receipt, TheFirstTreeKnowsNoOutcomeAndTheSecondDoes) {
  Sample sample;
  const Receipt before = receipt_of(sample);
  sample.at("race/relu/ptx").outcome = Outcome::unrun(Reason::gave_up, "");
  const Receipt after = receipt_of(sample);
  EXPECT_EQ(before.statements, after.statements);
  EXPECT_NE(before.outcomes, after.outcomes);
  Sample edited;
  edited.at("race/relu/ptx").statement += ", for n <= 64";
  EXPECT_NE(receipt_of(edited).statements, before.statements);
}

TEST(FixedList, NothingMayBeAddedLostOrEdited) {
  const Sample sample;
  const FixedList list(sample.obligations);
  EXPECT_NO_THROW(list.expect_unchanged(sample.obligations));
  std::vector<Obligation> solved = sample.obligations;
  solved.pop_back();
  EXPECT_THROW(list.expect_unchanged(solved), InternalError);
  solved = sample.obligations;
  solved.push_back(testing::claim(ObligationKind::race, Level::source, "other"));
  EXPECT_THROW(list.expect_unchanged(solved), InternalError);
  solved = sample.obligations;
  solved[0].statement += " and more";
  EXPECT_THROW(list.expect_unchanged(solved), InternalError);
  solved = sample.obligations;
  solved.push_back(solved[0]);
  EXPECT_THROW(FixedList{solved}, InternalError);
}

TEST(Receipt, RefusesStatesWithoutEvidence) {
  Sample sample;
  sample.at("race/relu/ptx").outcome.discharged_by.clear();
  EXPECT_THROW(receipt_of(sample), InternalError);
  Sample paired;
  paired.at("race/relu/ptx").outcome.queries.resize(1);
  EXPECT_THROW(receipt_of(paired), InternalError);
  Sample witness;
  testing::refute(witness.at("race/relu/ptx"), "x");
  witness.at("race/relu/ptx").outcome.witness->executed_by.clear();
  EXPECT_THROW(receipt_of(witness), InternalError);
}

// A crashed solver prints anything; the receipt still reads back.
TEST(Receipt, BrokenBytesOfASolverDoNotBreakIt) {
  Sample sample;
  sample.at("race/relu/ptx").outcome =
      Outcome::unrun(Reason::gave_up, "ok \xc3\xa9 \xff\xc3 \xed\xa0\x80\xf5 end\xe2\x82");
  const std::string text = receipt_text(receipt_of(sample));
  EXPECT_EQ(receipt_text(parse_receipt(text, "r", statements(sample))), text);
  EXPECT_NE(text.find("ok \xc3\xa9 ?? ???? end??"), std::string::npos);
  sample.at("race/relu/ptx").statement = "\xff";
  EXPECT_THROW(FixedList{sample.obligations}, InternalError);
}

TEST(Receipt, ReadsOnlyWhatItWouldWrite) {
  const Sample sample;
  const std::string text = receipt_text(receipt_of(sample));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string out = text;
    const std::size_t at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return out.replace(at, from.size(), to);
  };
  const auto refused = [&](const std::string& changed) {
    EXPECT_THROW(parse_receipt(changed, "r", statements(sample)), UserError) << changed.substr(0, 200);
  };
  refused(replaced("Statement/v1", "Statement/v2"));
  refused(replaced("urn:hallmark:receipt:v1", "urn:hallmark:receipt:v10"));
  refused(replaced("hallmark-receipt/1", "hallmark-receipt/2"));
  refused(replaced("\"proved\": 29", "\"proved\": 30"));  // a derived member
  refused(replaced("\"state\": \"proved\"", "\"state\": \"Proved\""));
  refused(replaced("\"reproducible\": true", "\"reproducible\": 1"));
  refused(replaced("\"scope\"", "\"scope \""));
  refused(replaced("  \"predicate\"", " \"predicate\""));
  refused(text + "\n");
  refused(text.substr(0, text.size() / 2));
  EXPECT_THROW(parse_receipt(text, "r", {}), UserError) << "statements without text";
}

}  // namespace
}  // namespace hallmark::bundle
