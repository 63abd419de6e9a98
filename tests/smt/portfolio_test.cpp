#include "smt/portfolio.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/process.h"
#include "base/sha256.h"
#include "tests/smt/programs.h"

namespace hallmark::smt {
namespace {

class BothSolvers : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_tool("z3") || !find_tool("cvc5")) GTEST_SKIP() << "needs z3 and cvc5";
  }
  Arena arena;
};

TEST_F(BothSolvers, ATrueClaimIsProvedByBothAndRecorded) {
  Portfolio p;
  const Decision d = p.decide(small_query(arena));
  EXPECT_EQ(d.outcome.state, State::proved) << d.outcome.detail;
  EXPECT_EQ(d.outcome.discharged_by, (std::vector<std::string>{"z3", "cvc5"}));
  ASSERT_EQ(d.outcome.queries.size(), 3U);
  EXPECT_EQ(d.outcome.queries[0].purpose, "goal");
  EXPECT_EQ(d.outcome.queries[1].purpose, "hypotheses");
  EXPECT_EQ(d.outcome.queries[2].purpose, "mutated-goal");
  for (const QueryRecord& r : d.outcome.queries) {
    EXPECT_EQ(r.answers.size(), 2U);
    EXPECT_EQ(sha256_hex(p.recorded_texts().at(r.sha256)), r.sha256);
  }
  EXPECT_TRUE(p.replay("z3", p.recorded_texts().at(d.outcome.queries[0].sha256)).is_unsat());
  EXPECT_THROW(p.replay("vampire", ""), UserError);
}

TEST_F(BothSolvers, AFalseClaimGivesACounterexampleAndNoVerdict) {
  Portfolio p;
  const Query wrong = small_query(arena, -1);
  const Decision d = p.decide(wrong);
  EXPECT_EQ(d.outcome.state, State::unrun);
  EXPECT_EQ(d.outcome.reason, Reason::witness_not_replayed);
  EXPECT_EQ(confirmed({negation(wrong.goal), wrong.hypotheses[0].formula}, d.counterexample), true);
  EXPECT_TRUE(p.excluded().empty());
}

TEST_F(BothSolvers, AVacuousClaimIsNeverProved) {
  Portfolio p;
  Query q = small_query(arena);
  q.hypotheses.push_back({"", less(arena.integer_variable("i"), 0)});
  EXPECT_EQ(p.decide(q).outcome.reason, Reason::vacuous);
  EXPECT_EQ(p.decide(q, Rule::one_suffices).outcome.reason, Reason::vacuous);
  EXPECT_TRUE(p.excluded().empty());
}

TEST_F(BothSolvers, AMutantThatIsImpliedTooIsFollowedByTheGoalItself) {
  Portfolio p;
  Query q = small_query(arena);
  q.mutants = {less(arena.integer_variable("i"), 200)};
  const Outcome outcome = p.decide(q).outcome;
  EXPECT_EQ(outcome.state, State::proved) << outcome.detail;
  EXPECT_EQ(outcome.queries.size(), 4U);
  EXPECT_TRUE(p.excluded().empty());
}

TEST_F(BothSolvers, SelectionMakesTheOtherMissing) {
  PortfolioOptions options;
  options.selected = {"z3"};
  Portfolio p(options);
  EXPECT_EQ(p.decide(small_query(arena), Rule::both).outcome.reason, Reason::solver_missing);
  const Outcome one = p.decide(small_query(arena), Rule::one_suffices).outcome;
  EXPECT_EQ(one.discharged_by, std::vector<std::string>{"z3"});
  EXPECT_EQ(one.queries[0].answers[1].answer, "solver-missing");
  options.selected = {"yices"};
  EXPECT_THROW(Portfolio{options}, UserError);
}

TEST_F(BothSolvers, NotInstalledIsMissing) {
  PortfolioOptions options;
  options.wanted[1].program = "no-such-cvc5";
  Portfolio p(options);
  EXPECT_EQ(p.decide(small_query(arena), Rule::both).outcome.reason, Reason::solver_missing);
  EXPECT_EQ(p.identities()[1].binary_sha256, "");
  EXPECT_EQ(p.identities()[0].binary_sha256.size(), 64U);
}

TEST_F(BothSolvers, ManyClaimsUnderSharedHypothesesKeepTheirOwnRecords) {
  Portfolio p;
  std::vector<Query> queries;
  for (long slack = -2; slack < 20; ++slack) queries.push_back(small_query(arena, slack));
  const std::vector<Decision> all = p.decide_all(queries);
  ASSERT_EQ(all.size(), queries.size());
  std::set<std::string> goals;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].outcome.state == State::proved, i >= 2) << all[i].outcome.detail;
    goals.insert(all[i].outcome.queries[0].sha256);
    EXPECT_EQ(all[i].outcome, p.decide(queries[i]).outcome);
  }
  EXPECT_EQ(goals.size(), queries.size());
}

TEST_F(BothSolvers, ProbesAreRememberedAndCutOff) {
  Portfolio p;
  const Query q = small_query(arena);
  EXPECT_TRUE(p.seems_to_hold(q));
  EXPECT_TRUE(p.seems_to_hold(q));
  EXPECT_FALSE(p.seems_to_hold(small_query(arena, -1)));
  EXPECT_TRUE(p.recorded_texts().empty());
}

TEST_F(BothSolvers, AnExampleOrTheOtherSolversModelShowsHypothesesSatisfiable) {
  Portfolio p;
  const Term m = arena.integer_variable("m"), n = arena.integer_variable("n"),
             i = arena.integer_variable("i");
  Query q;
  q.hypotheses = {{"", in_range(i, arena.integer(0), multiply(m, n))}, {"", less(arena.integer(0), n)}};
  q.goal = less(floor_div(i, n), m);
  q.example = {equal(m, 3), equal(n, 4), equal(i, 5)};
  const Outcome outcome = p.decide(q).outcome;
  EXPECT_EQ(outcome.state, State::proved) << outcome.detail;
  q.example = {equal(m, -3)};  // a wrong example is no vacuity, and is not recorded
  const Outcome again = p.decide(q).outcome;
  EXPECT_EQ(again.state, State::proved) << again.detail;
  for (const QueryRecord& r : again.queries) {
    if (r.purpose != "hypotheses") continue;
    for (const SolverAnswer& a : r.answers) EXPECT_EQ(a.answer, "sat");
  }
}

TEST_F(BothSolvers, ConjunctionsNeedEveryPart) {
  Portfolio p;
  const Outcome good = p.decide(small_query(arena)).outcome, other = p.decide(small_query(arena, 5)).outcome;
  const Outcome bad = p.decide(small_query(arena, -1)).outcome;
  Outcome syntactic;
  syntactic.state = State::proved;
  syntactic.reason = Reason::none;
  syntactic.discharged_by = {"syntactic"};
  EXPECT_EQ(p.conjoin({good, other, syntactic}, Rule::both).discharged_by,
            (std::vector<std::string>{"z3", "cvc5", "syntactic"}));
  EXPECT_EQ(p.conjoin({good, bad}, Rule::both).reason, Reason::witness_not_replayed);
  EXPECT_EQ(p.conjoin({good, Outcome::unrun(Reason::unsupported, "x")}, Rule::both).reason,
            Reason::unsupported);
  EXPECT_EQ(p.conjoin({}, Rule::both).state, State::unrun);
}

// Portfolios of one run put a question once: the second one here cannot ask anybody any more.
TEST_F(BothSolvers, WhatOnePortfolioAskedAnotherOneKnows) {
  PortfolioOptions options;
  options.memory = std::make_shared<AnswerMemory>();
  Portfolio first(options), second(options);
  const Query right = small_query(arena), wrong = small_query(arena, -1);
  const Outcome proved = first.decide(right).outcome, open = first.decide(wrong).outcome;
  EXPECT_TRUE(first.seems_to_hold(right));
  second.interrupt();
  EXPECT_EQ(second.decide(right).outcome, proved);
  EXPECT_EQ(second.decide(wrong).outcome, open);
  EXPECT_TRUE(second.seems_to_hold(right));
  EXPECT_EQ(second.recorded_texts(), first.recorded_texts());
  // Another budget, or another question, is not what was asked.
  EXPECT_EQ(second.attempt(right).outcome.reason, Reason::interrupted);
  EXPECT_EQ(second.decide(small_query(arena, 7)).outcome.reason, Reason::interrupted);
}

// What a clock decided is asked again.
TEST_F(BothSolvers, AnInterruptionIsNotRemembered) {
  PortfolioOptions options;
  options.memory = std::make_shared<AnswerMemory>();
  Portfolio first(options), second(options);
  first.interrupt();
  EXPECT_EQ(first.decide(small_query(arena)).outcome.reason, Reason::interrupted);
  EXPECT_EQ(second.decide(small_query(arena)).outcome.state, State::proved);
}

TEST_F(BothSolvers, OfALiarNothingIsRemembered) {
  Scripts scripts;
  PortfolioOptions options;
  SolverProgram liar = scripts.turning("turning", 9, "unsat");
  liar.name = "z3";
  options.wanted = {liar, SolverProgram::cvc5()};
  options.memory = std::make_shared<AnswerMemory>();
  Portfolio first(options), second(options);
  first.decide(small_query(arena));
  ASSERT_TRUE(first.excluded().contains("z3"));
  second.absorb(first);
  EXPECT_TRUE(second.excluded().contains("z3"));
  EXPECT_NE(second.decide(small_query(arena)).outcome.state, State::proved);
}

TEST_F(BothSolvers, UnitsAreTheSameEachTime) {
  PortfolioOptions options;
  options.measure_units = true;
  std::vector<std::map<std::string, std::map<std::string, std::uint64_t>>> seen;
  for (int run = 0; run < 2; ++run) {
    Portfolio p(options);
    EXPECT_EQ(p.decide(small_query(arena, run == 0 ? 0 : 3)).outcome.state, State::proved);
    EXPECT_EQ(p.decide(small_query(arena)).outcome.state, State::proved);
    seen.push_back(p.recorded_units());
  }
  // Each text costs what it costs, whatever the process was asked before it.
  ASSERT_EQ(seen[0].size(), 3U);
  for (const auto& [query, units] : seen[0]) {
    ASSERT_EQ(units.size(), 2U) << query;
    EXPECT_GT(units.at("z3"), 0U);
    EXPECT_GT(units.at("cvc5"), 0U);
    EXPECT_EQ(seen[1].at(query), units);
  }
  Portfolio plain;
  plain.decide(small_query(arena));
  EXPECT_TRUE(plain.recorded_units().empty());
}

TEST_F(BothSolvers, AfterAnInterruptionNothingIsProved) {
  Portfolio p;
  p.interrupt();
  EXPECT_EQ(p.decide(small_query(arena)).outcome.reason, Reason::interrupted);
}

}  // namespace
}  // namespace hallmark::smt
