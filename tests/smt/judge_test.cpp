#include "smt/judge.h"

#include <gtest/gtest.h>

namespace hallmark::smt {
namespace {

using Answers = std::pair<std::string, std::string>;  // of z3 and cvc5; empty = not asked

QueryRecord record(const std::string& purpose, const Answers& answers) {
  QueryRecord out{"digest of " + purpose, purpose, {}};
  if (!answers.first.empty()) out.answers.push_back({"z3", answers.first, {}});
  if (!answers.second.empty()) out.answers.push_back({"cvc5", answers.second, {}});
  return out;
}

std::vector<QueryRecord> group(const Answers& goal, const Answers& hypotheses, const Answers& mutated) {
  return {record("goal", goal), record("hypotheses", hypotheses), record("mutated-goal", mutated)};
}

Outcome both(const std::vector<QueryRecord>& queries) {
  return judge(queries, {});
}
Outcome one(const std::vector<QueryRecord>& queries) {
  return judge(queries, {{"z3", "cvc5"}, Rule::one_suffices});
}

TEST(Judge, ProvedNeedsTheThreeAnswersOfEach) {
  const auto good = group({"unsat", "unsat"}, {"sat", "sat"}, {"sat", "sat"});
  EXPECT_EQ(both(good).state, State::proved);
  EXPECT_EQ(both(good).discharged_by, (std::vector<std::string>{"z3", "cvc5"}));
  EXPECT_EQ(both(group({"unsat", "unsat"}, {"sat", "sat"}, {"sat", "unknown"})).reason,
            Reason::single_solver);
  EXPECT_EQ(both(group({"unsat", "unsat"}, {"sat", ""}, {"sat", "sat"})).reason, Reason::single_solver);
  EXPECT_EQ(both({record("goal", {"unsat", "unsat"})}).state, State::unrun);
  EXPECT_EQ(both({}).reason, Reason::not_scheduled);
}

TEST(Judge, OneMaySufficeAndIsNamed) {
  const auto half = group({"unsat", "unknown"}, {"sat", ""}, {"sat", ""});
  EXPECT_EQ(one(half).state, State::proved);
  EXPECT_EQ(one(half).discharged_by, std::vector<std::string>{"z3"});
  EXPECT_EQ(both(half).reason, Reason::single_solver);
}

TEST(Judge, MissingCrashedAndUndecided) {
  const Answers sat = {"sat", ""};
  EXPECT_EQ(both(group({"unsat", "solver-missing"}, sat, sat)).reason, Reason::solver_missing);
  EXPECT_EQ(one(group({"unsat", "solver-missing"}, sat, sat)).state, State::proved);
  EXPECT_EQ(one(group({"solver-missing", "solver-missing"}, {"", ""}, {"", ""})).reason,
            Reason::solver_missing);
  EXPECT_EQ(one(group({"unknown", "solver-missing"}, {"", ""}, {"", ""})).reason, Reason::gave_up);
  EXPECT_EQ(both(group({"unsat", "solver-crash"}, sat, sat)).reason, Reason::solver_crash);
  EXPECT_EQ(both(group({"resource-limit", "unknown"}, {"", ""}, {"", ""})).reason, Reason::resource_limit);
}

TEST(Judge, SatUnsatIsDisagreementAndVacuousIsNeverProved) {
  EXPECT_EQ(one(group({"unsat", "sat"}, {"sat", ""}, {"sat", ""})).reason, Reason::disagreement);
  EXPECT_EQ(one(group({"unsat", "unsat"}, {"sat", "unsat"}, {"sat", ""})).reason, Reason::disagreement);
  EXPECT_EQ(one(group({"unsat", "unsat"}, {"unsat", "unsat"}, {"", ""})).reason, Reason::vacuous);
  EXPECT_EQ(one(group({"unsat", "unknown"}, {"unsat", ""}, {"", ""})).reason, Reason::vacuous);
  EXPECT_EQ(one(group({"sat", "sat"}, {"", ""}, {"", ""})).reason, Reason::witness_not_replayed);
}

TEST(Judge, AllGroupsMustHold) {
  auto all = group({"unsat", "unsat"}, {"sat", "sat"}, {"sat", "sat"});
  const auto open = group({"unsat", "unknown"}, {"sat", ""}, {"sat", ""});
  all.insert(all.end(), open.begin(), open.end());
  EXPECT_EQ(both(all).reason, Reason::single_solver);
  EXPECT_EQ(one(all).discharged_by, std::vector<std::string>{"z3"});
}

TEST(Judge, ExcludedSolversCountForNothing) {
  const auto good = group({"unsat", "unsat"}, {"sat", "sat"}, {"sat", "sat"});
  EXPECT_EQ(both(withdraw(good, {"cvc5"})).reason, Reason::solver_crash);
  EXPECT_EQ(one(withdraw(good, {"cvc5"})).discharged_by, std::vector<std::string>{"z3"});
  EXPECT_EQ(one(withdraw(good, {"z3", "cvc5"})).reason, Reason::solver_crash);
  EXPECT_EQ(default_rule(ObligationKind::rule), Rule::one_suffices);
  EXPECT_EQ(default_rule(ObligationKind::bounds), Rule::both);
}

}  // namespace
}  // namespace hallmark::smt
