#include "bundle/answers.h"

#include <gtest/gtest.h>

#include "sample.h"

namespace hallmark::bundle {
namespace {

using testing::claim;
using testing::prove;

Obligation proved(const std::vector<std::string>& solvers = {"z3", "cvc5"}) {
  QueryTexts texts;
  Obligation o = claim(ObligationKind::bounds, Level::source, "relu");
  prove(o, texts, solvers);
  return o;
}

TEST(Answers, AProofByBothStands) {
  EXPECT_EQ(evidence_fault(proved()), "");
  EXPECT_FALSE(rests_on_one_solver(proved()));
  EXPECT_EQ(demand_both_solvers(proved()).state, State::proved);
}

// needs U-10 and soundness D1, E6: a solver that says `unsat` to everything counts for nothing.
TEST(Answers, AnAlwaysUnsatSolverProvesNothing) {
  Obligation o = proved({"z3"});
  for (QueryRecord& query : o.outcome.queries)
    for (SolverAnswer& answer : query.answers) answer.answer = "unsat";
  EXPECT_NE(evidence_fault(o), "");
  // Beside an honest solver it is no second one (E6), and it may not be named as having proved anything.
  o = proved();
  for (QueryRecord& query : o.outcome.queries)
    for (SolverAnswer& answer : query.answers)
      if (answer.solver == "cvc5") answer.answer = "unsat";
  EXPECT_NE(evidence_fault(o), "");
  o.outcome.discharged_by = {"z3"};
  EXPECT_EQ(evidence_fault(o), "");
  EXPECT_TRUE(rests_on_one_solver(o));
}

// An always-sat solver passes the paired checks and then contradicts the honest one.
TEST(Answers, AnAlwaysSatSolverIsADisagreement) {
  Obligation o = proved();
  for (QueryRecord& query : o.outcome.queries)
    for (SolverAnswer& answer : query.answers)
      if (answer.solver == "cvc5") answer.answer = "sat";
  EXPECT_TRUE(summarise_answers(o.outcome).disagreement);
  EXPECT_NE(evidence_fault(o), "");
}

// A first attempt at a paired query may stay open when a second one (with an example's equations) succeeds;
// goals may share their paired queries; one goal's checks do not stand for another's that were asked and
// failed.
TEST(Answers, PairedQueriesBelongToTheGoalBeforeThem) {
  Obligation o = proved();
  const std::vector<QueryRecord> one = o.outcome.queries;
  QueryRecord open = one[1];
  for (SolverAnswer& answer : open.answers) answer.answer = "unknown";
  o.outcome.queries = {one[0], open, one[1], one[2]};
  EXPECT_EQ(evidence_fault(o), "");
  o.outcome.queries = {one[0], one[0], one[1], one[2]};
  EXPECT_EQ(evidence_fault(o), "");
  o.outcome.queries = {one[0], one[1], one[2], one[0], open, one[2]};
  EXPECT_NE(evidence_fault(o), "");
}

TEST(Answers, APairedCheckThatIsMissingOrOpenCountsAsFailed) {
  for (const char* purpose : {"hypotheses", "mutated-goal"}) {
    Obligation o = proved();
    std::erase_if(o.outcome.queries, [&](const QueryRecord& q) { return q.purpose == purpose; });
    EXPECT_NE(evidence_fault(o), "") << purpose;
    o = proved();
    for (QueryRecord& query : o.outcome.queries)
      if (query.purpose == purpose)
        for (SolverAnswer& answer : query.answers) answer.answer = "unknown";
    EXPECT_NE(evidence_fault(o), "") << purpose;
  }
}

TEST(Answers, EveryGoalNeedsACountingSolver) {
  Obligation o = proved();
  o.outcome.queries.push_back(
      {sha256_hex("second"), "goal", {{"z3", "unknown", ""}, {"cvc5", "unknown", ""}}});
  EXPECT_NE(evidence_fault(o), "");
  o.outcome.queries.back().answers[0].answer = "unsat";
  EXPECT_EQ(evidence_fault(o), "");
  EXPECT_TRUE(rests_on_one_solver(o)) << "the weakest goal decides";
}

TEST(Answers, ADischargeWithoutQueryOrTwiceAnsweredIsAFault) {
  Obligation o = proved();
  o.outcome.queries.clear();
  EXPECT_NE(evidence_fault(o), "");
  o.outcome.discharged_by = {"interval"};
  EXPECT_EQ(evidence_fault(o), "");
  o = proved();
  o.outcome.queries[0].answers.push_back({"z3", "sat", ""});
  EXPECT_NE(evidence_fault(o), "");
  o = proved();
  o.outcome.queries[0].purpose = "lemma";
  EXPECT_NE(evidence_fault(o), "");
}

TEST(Answers, OneSolverWhereTwoAreWanted) {
  Obligation o = proved({"z3"});
  EXPECT_EQ(demand_both_solvers(o).state, State::unrun);
  EXPECT_EQ(demand_both_solvers(o).reason, Reason::solver_missing) << "the other was never asked";
  for (QueryRecord& query : o.outcome.queries) query.answers.push_back({"cvc5", "resource-limit", ""});
  EXPECT_EQ(demand_both_solvers(o).reason, Reason::single_solver);
  for (QueryRecord& query : o.outcome.queries) query.answers.back().answer = "solver-missing";
  EXPECT_EQ(demand_both_solvers(o).reason, Reason::solver_missing);
}

TEST(Answers, ClocksMemoryAndCrashesAreNotReproducible) {
  EXPECT_TRUE(reproducible(proved().outcome));
  EXPECT_FALSE(reproducible(Outcome::unrun(Reason::wall_limit, "")));
  EXPECT_TRUE(reproducible(Outcome::unrun(Reason::resource_limit, "")));
  Obligation o = proved({"z3"});
  o.outcome.queries[0].answers.push_back({"cvc5", "solver-crash", "signal 11"});
  EXPECT_FALSE(reproducible(o.outcome));
}

}  // namespace
}  // namespace hallmark::bundle
