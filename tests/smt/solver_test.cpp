// The real solvers, one at a time.
#include "smt/solver.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/smt/programs.h"

namespace hallmark::smt {
namespace {

class RealSolver : public testing::TestWithParam<Dialect> {
 protected:
  SolverProgram program() const {
    return GetParam() == Dialect::z3 ? SolverProgram::z3() : SolverProgram::cvc5();
  }
  void SetUp() override {
    if (!Solver(program(), {}, 0).installed()) GTEST_SKIP() << program().name << " is not installed";
  }
  Arena arena;
};

TEST_P(RealSolver, TrueFalseVacuousAndNonlinear) {
  Solver solver(program(), {}, 0);
  const Query q = small_query(arena);
  EXPECT_TRUE(solver.ask(goal_text(q), false).is_unsat());
  EXPECT_TRUE(solver.ask(hypotheses_text(q, false), false).is_sat());
  EXPECT_TRUE(solver.ask(mutated_goal_texts(q, false)[0], false).is_sat());
  Query vacuous = q;
  vacuous.hypotheses.push_back({"", less(arena.integer_variable("i"), 0)});
  EXPECT_TRUE(solver.ask(hypotheses_text(vacuous, false), false).is_unsat());
  const Term i = arena.integer_variable("i"), k = arena.integer_variable("k"),
             m = arena.integer_variable("m"), w = arena.integer_variable("w");
  Query flat;
  flat.hypotheses = {{"i", in_range(i, arena.integer(0), m)}, {"k", in_range(k, arena.integer(0), w)}};
  flat.goal = less(add(multiply(i, w), k), multiply(m, w));
  EXPECT_TRUE(solver.ask(goal_text(flat), false).is_unsat());
  flat.goal = less(add(add(multiply(i, w), k), 1L), multiply(m, w));
  EXPECT_TRUE(solver.ask(goal_text(flat), false).is_sat());
  EXPECT_EQ(solver.process(), 1U);
}

TEST_P(RealSolver, EveryLogicIsUnderstood) {
  Solver solver(program(), {}, 0);
  const Term x = arena.integer_variable("x"), r = arena.variable("r", Sort::real());
  const Term v = arena.variable("v", Sort::bit_vector(16)), j = arena.variable("j", Sort::uninterpreted("J"));
  const Function* f = arena.declare("sqrt", {Sort::real(), Sort::uninterpreted("J")}, Sort::real());
  const Term fr = arena.apply(f, {r, j});
  const std::vector<Term> satisfiable = {
      less(to_real(x), r),
      conjunction(less(fr, r), equal(to_integer(r), x)),
      less(multiply(r, r), r),
      equal(divide(r, arena.real(3)), fr),
      equal(bv_extract(v, 7, 0), integer_to_bv(arena.integer(300), 8)),
      conjunction(bv(Op::bv_signed_less, v, arena.bit_vector(0, 16)),
                  equal(arena.make(Op::bv_to_natural, {v}), x)),
      arena.distinct({j, arena.variable("k", Sort::uninterpreted("J"))}),
      equal(mod(x, arena.integer(-3)), 2),
      equal(total_floor_div(x, arena.integer_variable("y")), 4),
      implication(arena.variable("p", Sort::boolean()), less(arena.real(Rational(-7, 2)), r)),
  };
  for (const Term t : satisfiable) {
    const QueryText text = print_assertions(Purpose::hypotheses, "", {{"", t}}, "sat");
    const Answer answer = solver.ask(text, true);
    EXPECT_TRUE(answer.is_sat()) << text.text << answer.raw;
    EXPECT_NE(confirmed({t}, answer.model), false) << text.text;
  }
  EXPECT_EQ(solver.process(), 1U);
}

TEST_P(RealSolver, ModelsSatisfyTheText) {
  Solver solver(program(), {}, 0);
  const Term x = arena.integer_variable("x"), y = arena.integer_variable("y");
  const std::vector<Term> all = {less(multiply(3, x), -7), equal(add(x, multiply(2, y)), 11)};
  const Answer answer =
      solver.ask(print_assertions(Purpose::hypotheses, "", {{"", all[0]}, {"", all[1]}}, "sat"), true);
  ASSERT_TRUE(answer.is_sat());
  ASSERT_EQ(answer.model.size(), 2U);
  EXPECT_EQ(confirmed(all, answer.model), true);
}

// x^3 + y^3 = z^3 in a box: unsatisfiable, and far beyond these limits.
QueryText hard(Arena& a) {
  std::vector<Hypothesis> all;
  std::vector<Term> cubes;
  for (const char* n : {"x", "y", "z"}) {
    const Term t = a.integer_variable(n);
    all.push_back({"", in_range(t, a.integer(1), a.integer(400))});
    cubes.push_back(a.product({t, t, t}));
  }
  all.push_back({"", equal(add(cubes[0], cubes[1]), cubes[2])});
  return print_assertions(Purpose::goal, "", all, "unsat");
}

TEST_P(RealSolver, ResourceLimitsStopTheSameWayEachTime) {
  Budget budget;
  budget.z3_units = 3000;
  budget.cvc5_units = 300;
  for (int i = 0; i < 2; ++i) {
    Solver solver(program(), budget, 0);
    const Answer first = solver.ask(hard(arena), false);
    EXPECT_EQ(first.reason, Reason::resource_limit) << first.raw;
    EXPECT_EQ(first.process, 2U);  // asked again in a fresh process
    EXPECT_TRUE(solver.ask(goal_text(small_query(arena)), false).is_unsat());
  }
}

TEST_P(RealSolver, TheWallClockKillsAndTheNextQueryIsAnswered) {
  Budget budget;
  budget.z3_units = 0xffffffff;
  budget.cvc5_units = 0xffffffff;
  budget.wall = std::chrono::milliseconds(400);
  Solver solver(program(), budget, 0);
  EXPECT_EQ(solver.ask(hard(arena), false).reason, Reason::wall_limit);
  EXPECT_TRUE(solver.ask(goal_text(small_query(arena)), false).is_unsat());
  EXPECT_EQ(solver.process(), 2U);
}

TEST_P(RealSolver, TooLittleMemoryIsAFailureAndNoAnswer) {
  Budget budget;
  budget.memory_bytes = std::size_t{36} << 20;  // not enough to start either
  const Answer answer = Solver(program(), budget, 0).ask(goal_text(small_query(arena)), false);
  EXPECT_EQ(answer.kind, Answer::Kind::failed);
  EXPECT_TRUE(answer.reason == Reason::memory_limit || answer.reason == Reason::solver_crash ||
              answer.reason == Reason::solver_missing)
      << name(answer.reason);
}

TEST_P(RealSolver, ErrorsAreNoAnswers) {
  Solver solver(program(), {}, 0);
  QueryText bad;
  bad.text = "(set-logic QF_LIA)\n(assert (foo))\n(check-sat)\n";
  EXPECT_EQ(solver.ask(bad, false).reason, Reason::solver_crash);
  EXPECT_TRUE(solver.ask(goal_text(small_query(arena)), false).is_unsat());
}

TEST_P(RealSolver, IdentityNamesVersionBinaryAndLibraries) {
  Solver solver(program(), {}, 7);
  const SolverIdentity& id = solver.identity();
  EXPECT_FALSE(id.version.empty());
  EXPECT_EQ(id.binary_sha256.size(), 64U);
  EXPECT_EQ(id.seed, 7U);
  EXPECT_TRUE(std::any_of(id.libraries.begin(), id.libraries.end(),
                          [](const auto& l) { return l.first.find("libstdc++") != std::string::npos; }));
}

INSTANTIATE_TEST_SUITE_P(Both, RealSolver, testing::Values(Dialect::z3, Dialect::cvc5),
                         [](const auto& info) { return info.param == Dialect::z3 ? "z3" : "cvc5"; });

}  // namespace
}  // namespace hallmark::smt
