#include "bundle/replay.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/process.h"
#include "bundle/layout.h"
#include "sample.h"

namespace hallmark::bundle {
namespace {

using testing::Sample;

// Real queries about x <= 5, decided by the real solvers.
const std::map<std::string, std::string> queries{
    {"goal",
     "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (<= x 5))\n(assert (not (< x 6)))\n(check-sat)\n"},
    {"hypotheses", "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (<= x 5))\n(check-sat)\n"},
    {"mutated-goal",
     "(set-logic QF_LIA)\n(declare-fun x () Int)\n(assert (<= x 5))\n(assert (not (< x 5)))\n(check-sat)\n"}};

SolverAnswer ask(const std::string& solver, const std::string& text) {
  const std::vector<std::string> command = solver == "z3" ? std::vector<std::string>{"z3", "-in"}
                                                          : std::vector<std::string>{solver, "--lang=smt2"};
  const ProcessResult result = run_process(command, text);
  if (result.end == ProcessResult::End::not_started) return {solver, "solver-missing", ""};
  std::string answer = result.out.substr(0, result.out.find('\n'));
  if (answer != "sat" && answer != "unsat") answer = "unknown";
  return {solver, answer, ""};
}

struct Replaying : ::testing::Test {
  TemporaryFolder top;
  std::string folder = top.path() + "/b";
  Sample sample;
  ReplayOptions options{{"z3", "cvc5"}, ask};
  const std::string id = "value/relu/source";
  void SetUp() override {
    Obligation& o = sample.at(id);
    for (QueryRecord& query : o.outcome.queries) {
      query.sha256 = sha256_hex(queries.at(query.purpose));
      sample.texts[query.sha256] = queries.at(query.purpose);
    }
  }
};

TEST_F(Replaying, EitherSolverConfirms) {
  ASSERT_TRUE(find_tool("z3") && find_tool("cvc5")) << "scripts/setup installs both";
  sample.write(folder);
  const OpenBundle bundle = open_bundle(folder);
  for (const std::vector<std::string>& solvers : {std::vector<std::string>{"z3"}, {"cvc5"}, {"z3", "cvc5"}}) {
    options.solvers = solvers;
    const ReplayResult result = replay(bundle, id, options);
    EXPECT_EQ(result.grade, Replay::confirmed) << render_replay(result);
    EXPECT_EQ(result.queries.size(), 3 * solvers.size());
  }
}

// needs U-09 and U-10: an answer that was never given does not come again, and a missing solver confirms
// nothing.
TEST_F(Replaying, AForgedAnswerIsContradictedAndAMissingSolverIsUnreplayable) {
  for (QueryRecord& query : sample.at(id).outcome.queries)
    if (query.purpose == "goal") {
      query.sha256 = sha256_hex(queries.at("hypotheses") + "; \n");
      sample.texts[query.sha256] = queries.at("hypotheses") + "; \n";  // sat, recorded as unsat
    }
  sample.write(folder);
  const OpenBundle bundle = open_bundle(folder);
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::contradicted);
  EXPECT_EQ(replay(bundle, id, options).exit_code(), 1);
  options.solvers = {"no-such-solver"};
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::unreplayable);
  EXPECT_EQ(replay(bundle, id, options).exit_code(), 3);
  options.solvers = {};
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::unreplayable);
}

// Issue 6, bar 3: who failed the checks has no say, whatever would be answered, and others have none for him.
TEST_F(Replaying, ASolverThatFailedItsChecksIsNotAsked) {
  sample.write(folder);
  const OpenBundle bundle = open_bundle(folder);
  bool asked = false;
  options.ask = [&](const std::string& solver, const std::string& text) {
    asked = true;
    return ask(solver, text);
  };
  options.failed_checks = [](const std::string& solver) {
    return solver == "cvc5" ? std::string("it said\nCONFIRMED\xff") : std::string();
  };
  const ReplayResult result = replay(bundle, id, options);
  EXPECT_EQ(result.grade, Replay::unreplayable);
  EXPECT_EQ(result.exit_code(), 3);
  EXPECT_FALSE(asked);
  EXPECT_NE(result.detail.find("cvc5 failed its checks"), std::string::npos) << result.detail;
  EXPECT_NE(result.detail.find("it said CONFIRMED?"), std::string::npos) << "in one line: " << result.detail;
  options.solvers = {"z3"};
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::confirmed);
}

// One that passes its checks and lies afterwards: a known solver that answers as recorded stands against it.
TEST_F(Replaying, WhereSolversContradictEachOtherNobodyIsRefuted) {
  sample.write(folder);
  const OpenBundle bundle = open_bundle(folder);
  for (const char* word : {"sat", "unsat"}) {
    options.solvers = {"liar"};
    options.ask = [&](const std::string& solver, const std::string& text) {
      return solver == "liar" ? SolverAnswer{solver, word, ""} : ask(solver, text);
    };
    options.referees = {};
    EXPECT_EQ(replay(bundle, id, options).grade, Replay::contradicted) << "nobody else to ask";
    options.referees = {"no-such-solver"};
    EXPECT_EQ(replay(bundle, id, options).grade, Replay::contradicted) << "nobody else answers";
    options.referees = {"no-such-solver", "z3"};
    const ReplayResult disputed = replay(bundle, id, options);
    EXPECT_EQ(disputed.grade, Replay::unreplayable);
    EXPECT_TRUE(disputed.disagreement);
    EXPECT_EQ(disputed.exit_code(), 1) << "an alarm";
    EXPECT_NE(disputed.detail.find("the solvers disagree: liar"), std::string::npos) << disputed.detail;
    options.solvers = {"liar", "cvc5"};
    options.referees = {};
    EXPECT_TRUE(replay(bundle, id, options).disagreement);
  }
}

// And an honest one still finds a forged answer out: the known solvers stand by it.
TEST_F(Replaying, RefereesDoNotSaveAForgedAnswer) {
  for (QueryRecord& query : sample.at(id).outcome.queries)
    if (query.purpose == "goal") {
      query.sha256 = sha256_hex(queries.at("hypotheses") + "; \n");
      sample.texts[query.sha256] = queries.at("hypotheses") + "; \n";  // sat, recorded as unsat
    }
  sample.write(folder);
  options.solvers = {"cvc5"};
  options.referees = {"z3", "cvc5"};
  const ReplayResult result = replay(open_bundle(folder), id, options);
  EXPECT_EQ(result.grade, Replay::contradicted) << render_replay(result);
  EXPECT_EQ(result.exit_code(), 1);
}

TEST_F(Replaying, WithoutQueriesOrInABrokenBundleNothingIsConfirmed) {
  sample.at(id).outcome.queries.clear();
  sample.at(id).outcome.discharged_by = {"syntactic"};
  sample.write(folder);
  EXPECT_EQ(replay(open_bundle(folder), id, options).grade, Replay::unreplayable);
  EXPECT_THROW(replay(open_bundle(folder), "value/other/source", options), UserError);
  std::filesystem::remove(folder + "/4-artifact/relu.cu");
  EXPECT_THROW(replay(open_bundle(folder), id, options), UserError);
}

// needs U-12.
TEST_F(Replaying, AWitnessIsExecuted) {
  testing::refute(sample.at(id), "x = 1");
  sample.write(folder);
  const OpenBundle bundle = open_bundle(folder);
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::unreplayable);
  options.derive_again = [](const OpenBundle&, const Obligation& o) { return std::optional(o); };
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::confirmed);
  options.derive_again = [](const OpenBundle&, Obligation o) {
    o.outcome = Outcome::unrun(Reason::gave_up, "");
    return std::optional(o);
  };
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::contradicted);
}

// A forger writes a query that anybody confirms.
TEST_F(Replaying, NothingIsConfirmedThatDoesNotFollowFromTheBundle) {
  sample.write(folder);
  const OpenBundle bundle = open_bundle(folder);
  const Obligation recorded = sample.at(id);
  std::optional<Obligation> now = recorded;
  options.derive_again = [&](const OpenBundle&, const Obligation&) { return now; };
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::confirmed);
  now.reset();
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::unreplayable) << "another statement";
  now = recorded;
  for (QueryRecord& query : now->outcome.queries)
    if (query.purpose == "goal") query.sha256 = std::string(64, 'a');
  const ReplayResult other = replay(bundle, id, options);
  EXPECT_EQ(other.grade, Replay::unreplayable) << "other queries";
  EXPECT_TRUE(other.queries.empty()) << "and none is asked";
  // A machine without solvers derives no queries to compare with: that is said, and the rest is repeated.
  now = recorded;
  now->outcome = Outcome::unrun(Reason::solver_missing, "");
  const ReplayResult alone = replay(bundle, id, options);
  EXPECT_EQ(alone.grade, Replay::confirmed);
  EXPECT_NE(alone.detail.find("not derived again here (solver-missing)"), std::string::npos) << alone.detail;
}

TEST_F(Replaying, WhatNoSolverHadAPartInIsDischargedAgain) {
  sample.at(id).outcome.queries.clear();
  sample.at(id).outcome.discharged_by = {"syntactic"};
  sample.write(folder);
  const OpenBundle bundle = open_bundle(folder);
  Obligation now = sample.at(id);
  options.derive_again = [&](const OpenBundle&, const Obligation&) { return std::optional(now); };
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::confirmed);
  now.outcome = Outcome::unrun(Reason::gave_up, "");
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::unreplayable);
  testing::refute(now, "x = 1");
  EXPECT_EQ(replay(bundle, id, options).grade, Replay::contradicted);
}

}  // namespace
}  // namespace hallmark::bundle
