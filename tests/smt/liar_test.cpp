// Programs that are no solvers. None may ever be believed, and none may hang or kill us.
#include <gtest/gtest.h>

#include <thread>

#include "base/process.h"
#include "tests/smt/programs.h"

namespace hallmark::smt {
namespace {

class Liar : public testing::Test {
 protected:
  Answer ask(const SolverProgram& program, std::chrono::milliseconds wall = std::chrono::milliseconds(3000)) {
    Budget budget;
    budget.wall = wall;
    Solver solver(program, budget, 0);
    const Answer answer = solver.ask(goal_text(small_query(arena)), true);
    truthful = solver.truthful();
    return answer;
  }
  Scripts scripts;
  Arena arena;
  bool truthful = true;
};

TEST_F(Liar, MissingAndNotStartable) {
  EXPECT_EQ(ask({"z3", Dialect::z3, "no-such-solver"}).reason, Reason::solver_missing);
  EXPECT_EQ(ask(scripts.program("gone", "exit 127")).reason, Reason::solver_missing);
  SolverProgram wrong = scripts.program("wrong", "");
  write_file(wrong.program, "#!/no/such/interpreter\n");
  ::chmod(wrong.program.c_str(), 0755);
  EXPECT_EQ(ask(wrong).reason, Reason::solver_missing);
}

TEST_F(Liar, AlwaysTheSameWordFailsTheSelfTest) {
  for (const char* word : {"unsat", "sat"}) {
    const Answer answer = ask(scripts.always(std::string("always-") + word, std::string("echo ") + word));
    EXPECT_EQ(answer.reason, Reason::solver_crash) << word;
    EXPECT_NE(answer.raw.find("self-test"), std::string::npos) << answer.raw;
    EXPECT_FALSE(truthful);
  }
}

TEST_F(Liar, WhatIsNotOnePlainWordIsNoAnswer) {
  const std::pair<const char*, const char*> cases[] = {
      {"error-first", "echo '(error \"line 1\")'; echo unsat"},
      {"error-after", "echo unsat; echo '(error \"line 1\")'"},
      {"twice", "echo unsat; echo unsat"},
      {"success", "echo success; echo unsat"},
      {"empty", ":"},
      {"shout", "echo UNSAT"},
  };
  for (const auto& [name, body] : cases)
    EXPECT_EQ(ask(scripts.always(name, body)).reason, Reason::solver_crash) << name;
  EXPECT_EQ(ask(scripts.always("memory", "echo '(error \"out of memory\")'")).reason, Reason::memory_limit);
}

TEST_F(Liar, CrashInTheMiddleOfAnAnswer) {
  const Answer answer = ask(scripts.program("crash", "printf uns; kill -SEGV $$"));
  EXPECT_EQ(answer.reason, Reason::solver_crash);
  EXPECT_NE(answer.raw.find("signal 11"), std::string::npos) << answer.raw;
  EXPECT_EQ(ask(scripts.program("early", "echo unsat; exit 0")).reason, Reason::solver_crash);
  EXPECT_EQ(ask(scripts.program("deaf", "exec 0<&-; echo unsat; sleep 0.2")).kind, Answer::Kind::failed);
}

TEST_F(Liar, HangsAreKilledWithTheirChildren) {
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(ask(scripts.program("hang", "sleep 300"), std::chrono::milliseconds(300)).reason,
            Reason::wall_limit);
  EXPECT_EQ(ask(scripts.program("tree", "sleep 301 & sleep 301"), std::chrono::milliseconds(300)).reason,
            Reason::wall_limit);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

TEST_F(Liar, EndlessOutputIsCutOff) {
  const Answer answer = ask(scripts.program("flood", "yes unsat"), std::chrono::milliseconds(20'000));
  EXPECT_EQ(answer.reason, Reason::solver_crash);
  EXPECT_NE(answer.raw.find("without end"), std::string::npos) << answer.raw;
}

TEST_F(Liar, AHopelessProgramIsNotStartedForEver) {
  Solver solver(scripts.program("count", "echo x >> \"$0.starts\"; exit 1"), {}, 0);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(solver.ask(goal_text(small_query(arena)), false).reason, Reason::solver_crash);
  EXPECT_EQ(solver.process(), 3U);
}

TEST_F(Liar, InterruptionEndsAQueryUnderWay) {
  Solver solver(scripts.program("slow", "sleep 300"), {}, 0);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    solver.interrupt();
  });
  EXPECT_EQ(solver.ask(goal_text(small_query(arena)), false).reason, Reason::interrupted);
  later.join();
}

// In a portfolio: beside an honest solver, with the quorum at its weakest.
class LiarBesideHonest : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_tool("z3") || !find_tool("cvc5")) GTEST_SKIP() << "needs z3 and cvc5";
  }
  PortfolioOptions with(SolverProgram liar) {
    PortfolioOptions options;
    liar.name = "z3";
    options.wanted = {liar, SolverProgram::cvc5()};
    options.budget.wall = std::chrono::milliseconds(5000);
    return options;
  }
  Scripts scripts;
  Arena arena;
};

TEST_F(LiarBesideHonest, NothingOfALiarCounts) {
  Query wrong = small_query(arena, -1);  // i < 99: false
  wrong.mutants = {};
  for (const char* word : {"unsat", "sat"}) {
    Portfolio p(with(scripts.always(std::string("always-") + word, std::string("echo ") + word)));
    EXPECT_EQ(p.decide(small_query(arena), Rule::one_suffices).outcome.discharged_by,
              std::vector<std::string>{"cvc5"});
    EXPECT_EQ(p.decide(small_query(arena), Rule::both).outcome.reason, Reason::solver_crash);
    EXPECT_EQ(p.decide(wrong, Rule::one_suffices).outcome.state, State::unrun);
  }
}

TEST_F(LiarBesideHonest, OneThatPassesTheSelfTestAndThenAlwaysSaysUnsat) {
  Portfolio p(with(scripts.turning("turning", 9, "unsat")));
  Query wrong = small_query(arena, -1);
  wrong.mutants = {};
  EXPECT_EQ(p.decide(wrong, Rule::one_suffices).outcome.state, State::unrun);
  EXPECT_EQ(p.excluded(), std::set<std::string>{"z3"});
  const Outcome rest = p.decide(small_query(arena), Rule::one_suffices).outcome;
  EXPECT_EQ(rest.discharged_by, std::vector<std::string>{"cvc5"});
  EXPECT_EQ(p.decide(small_query(arena), Rule::both).outcome.reason, Reason::solver_crash);
}

TEST_F(LiarBesideHonest, WhatALiarSaidBeforeIsWithdrawn) {
  // Honest for the self-test and one claim (goal, hypotheses, mutant), then unsat to everything.
  Portfolio p(with(scripts.turning("later", 12, "unsat")));
  const Outcome early = p.decide(small_query(arena), Rule::both).outcome;
  EXPECT_EQ(early.state, State::proved);
  Query other = small_query(arena, 1);
  other.hypotheses.push_back({"", less_equal(arena.integer(1), arena.integer_variable("i"))});
  EXPECT_NE(p.decide(other, Rule::both).outcome.state, State::proved);
  EXPECT_EQ(p.excluded(), std::set<std::string>{"z3"});
  EXPECT_EQ(p.settle(early, Rule::both).reason, Reason::solver_crash);
  EXPECT_EQ(p.settle(early, Rule::one_suffices).discharged_by, std::vector<std::string>{"cvc5"});
}

TEST_F(LiarBesideHonest, AloneAlwaysUnsatNeverProves) {
  PortfolioOptions options;
  options.wanted = {scripts.turning("alone", 9, "unsat")};
  Portfolio p(options);
  const Outcome outcome = p.decide(small_query(arena), Rule::one_suffices).outcome;
  EXPECT_EQ(outcome.state, State::unrun);
}

}  // namespace
}  // namespace hallmark::smt
