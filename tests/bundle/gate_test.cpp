#include "bundle/gate.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

using testing::claim;
using testing::prove;
using testing::refute;
using Kind = ObligationKind;

struct Gate : ::testing::Test {
  QueryTexts texts;
  Policy policy = default_policy();
  std::vector<Obligation> list{claim(Kind::bounds, Level::source, "relu"),
                               claim(Kind::value, Level::source, "relu")};
  void SetUp() override {
    for (Obligation& o : list) prove(o, texts);
  }
  int code() const { return apply_policy(list, policy).exit_code; }
};

// needs U-02: four overall outcomes, four codes.
TEST_F(Gate, ExitCodes) {
  EXPECT_EQ(code(), 0);
  list[1].outcome = Outcome::unrun(Reason::gave_up, "");
  EXPECT_EQ(code(), 3);
  refute(list[0], "thread 5 reads x[5]");
  EXPECT_EQ(code(), 1) << "refuted wins over unrun";
  list.clear();
  EXPECT_EQ(code(), 3) << "nothing to prove is no success";
  EXPECT_EQ(worse_exit(5, 1), 5);
  EXPECT_EQ(worse_exit(3, 1), 1);
  EXPECT_EQ(worse_exit(0, 3), 3);
}

// needs U-01: a limit so low that no answer is possible.
TEST_F(Gate, EveryReasonIsUndecidedUnlessTolerated) {
  for (int i = 1; i <= static_cast<int>(Reason::stale); ++i) {
    const Reason reason = static_cast<Reason>(i);
    list[0].outcome = Outcome::unrun(reason, "");
    EXPECT_EQ(code(), reason == Reason::disagreement ? 1 : 3) << name(reason);
  }
}

TEST_F(Gate, TheDefaultToleratesTwoThingsOnly) {
  list.push_back(claim(Kind::tolerance, Level::model, "Y"));
  list.back().outcome = Outcome::unrun(Reason::gap, "bound 1.1e-3");
  EXPECT_EQ(code(), 0);
  list.back().level = Level::plan;
  EXPECT_EQ(code(), 3) << "gap is tolerated on end-to-end tolerance only";
  list.back() = claim(Kind::rounding, Level::model, "Y");
  list.back().outcome = Outcome::unrun(Reason::gap, "");
  EXPECT_EQ(code(), 3);
  list.back() = claim(Kind::value, Level::ptx, "relu");
  list.back().outcome = Outcome::unrun(Reason::tool_missing, "nvcc");
  EXPECT_EQ(code(), 0);
  list.back().level = Level::source;
  EXPECT_EQ(code(), 3) << "tool-missing is tolerated at level ptx only";
}

TEST_F(Gate, BothSolversWhereWanted) {
  prove(list[0], texts, {"z3"});
  const GateResult result = apply_policy(list, policy);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.obligations[0].outcome.reason, Reason::solver_missing);
  list[0].kind = Kind::rule;
  EXPECT_EQ(code(), 0) << "one suffices for a rule";
  policy.one_solver_suffices.clear();
  EXPECT_EQ(code(), 3);
}

// Soundness B11.
TEST_F(Gate, ARefutedBoxOfOneKernelIsUndecidedForTheProgram) {
  list.push_back(claim(Kind::tolerance, Level::plan, "matmul_1"));
  refute(list.back(), "x = 1.7");
  EXPECT_EQ(code(), 3);
  list.back().level = Level::model;
  EXPECT_EQ(code(), 1);
}

TEST_F(Gate, Limits) {
  list[0].outcome = Outcome::unrun(Reason::gave_up, "");
  policy.tolerate.push_back({Reason::gave_up, {}});
  EXPECT_EQ(code(), 0) << "the caller asked for it by an explicit entry";
  policy.max_unrun = 0;
  EXPECT_EQ(code(), 3);
  policy.max_unrun = 1;
  EXPECT_EQ(code(), 0);
}

TEST_F(Gate, RequirementsSelect) {
  list[0].outcome = Outcome::unrun(Reason::gave_up, "");
  policy.require = {{{Kind::value}, {}}};
  EXPECT_EQ(code(), 0);
  policy.require = {{{Kind::value}, {}}, {{}, {Level::source}}};
  EXPECT_EQ(code(), 3);
  policy.require = {{{Kind::value}, {}}};
  refute(list[0], "x");
  EXPECT_EQ(code(), 1) << "what need not be proved must still not be false";
}

TEST_F(Gate, AssumptionsAndBoxes) {
  policy.allowed_assumptions = {"importer"};
  EXPECT_EQ(apply_policy(list, policy, {{"importer"}, {}, {}, {}, {}}).exit_code, 0);
  EXPECT_EQ(apply_policy(list, policy, {{"importer", "ptxas"}, {}, {}, {}, {}}).exit_code, 3);
  list[0].outcome.assumptions = {"no-alias"};
  EXPECT_EQ(apply_policy(list, policy, {{"importer"}, {}, {}, {}, {}}).exit_code, 3);
  list[0].outcome.assumptions.clear();
  policy.default_boxes_allowed = false;
  EXPECT_EQ(apply_policy(list, policy, {{}, {"x in [-1, 1]"}, {}, {}, {}}).exit_code, 3);
}

TEST_F(Gate, AReportWithoutABundle) {
  const auto code_of = [&] {
    return checked_report("k.cu", list, "obligation", "obligations", nullptr).exit_code;
  };
  EXPECT_EQ(code_of(), 0);
  list[1].level = Level::ptx;
  list[1].outcome = Outcome::unrun(Reason::tool_missing, "nvcc");
  EXPECT_EQ(code_of(), 3) << "0 means all proved";
  refute(list[0], "x");
  EXPECT_EQ(code_of(), 1);
  list.clear();
  EXPECT_EQ(code_of(), 3);
  list = {claim(Kind::race, Level::source, "k")};
  list[0].outcome.state = State::proved;
  EXPECT_THROW(code_of(), InternalError);
}

TEST_F(Gate, ViolationsNameTheObligation) {
  list[1].outcome = Outcome::unrun(Reason::gave_up, "");
  const GateResult result = apply_policy(list, policy);
  ASSERT_EQ(result.violations.size(), 1u);
  EXPECT_EQ(result.violations[0].code, "E5312");
  EXPECT_EQ(result.violations[0].where, list[1].id);
}

}  // namespace
}  // namespace hallmark::bundle
