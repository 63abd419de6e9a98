// Programs given by their path, of which this program knows nothing: what their words are worth.
#include "smt/foreign.h"

#include <gtest/gtest.h>

#include <chrono>

#include "base/process.h"
#include "tests/smt/programs.h"

namespace hallmark::smt {
namespace {

class Foreign : public testing::Test {
 protected:
  std::string path(const std::string& name, const std::string& body) {
    return scripts.program(name, body).program;
  }
  std::string failed(const std::string& name, const std::string& body,
                     std::chrono::milliseconds wall = std::chrono::milliseconds(10'000)) {
    Budget budget;
    budget.wall = wall;
    return failed_checks(path(name, body), budget);
  }
  Scripts scripts;
};

TEST_F(Foreign, HonestSolversPassTheirChecks) {
  ASSERT_TRUE(find_tool("z3") && find_tool("cvc5")) << "scripts/setup installs both";
  EXPECT_EQ(failed_checks(*find_tool("z3"), {}), "");
  EXPECT_EQ(failed_checks(*find_tool("cvc5"), {}), "");
  EXPECT_EQ(failed("wrapped", "exec z3 \"$1\""), "");
}

// The known texts have another order than the answers of any fixed pattern.
TEST_F(Foreign, WhoLiesFailsThem) {
  for (const char* word : {"sat", "unsat"})
    EXPECT_EQ(failed(std::string("always-") + word, std::string("echo ") + word),
              std::string("it answered ") + word + " to a known text whose answer is " +
                  (std::string(word) == "sat" ? "unsat" : "sat"));
  EXPECT_NE(failed("opposite", "z3 \"$1\" | sed 's/^sat/SAT/; s/^unsat/sat/; s/^SAT/unsat/'"), "");
  EXPECT_NE(failed("sat-without-apply", "grep -q f_f \"$1\" && echo unsat || z3 \"$1\""), "")
      << "one wrong answer is enough";
}

TEST_F(Foreign, WhoDecidesNothingFailsThem) {
  for (const auto& [name, body] : std::vector<std::pair<const char*, const char*>>{
           {"garbage", "echo '(error \"unsat or perhaps sat\")'"},
           {"twice", "echo sat; echo unsat"},
           {"silent", "exit 0"},
           {"signal", "kill -SEGV $$"},
           {"signal-after-a-word", "echo sat; kill -SEGV $$"},
           {"unknown", "echo unknown"},
           {"half", "z3 \"$1\" | grep -x sat"}})
    EXPECT_NE(failed(name, body).find("it decided no known claim"), std::string::npos) << name;
  EXPECT_NE(failed_checks("/no/such/solver", {}), "");
}

TEST_F(Foreign, WhoHangsOrFloodsIsStopped) {
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_NE(failed("hang", "sleep 300", std::chrono::milliseconds(300)), "");
  Budget budget;
  const Answer flood = ask_program(path("flood", "yes unsat"), "(check-sat)\n", budget);
  EXPECT_EQ(flood.reason, Reason::solver_crash);
  EXPECT_NE(flood.raw.find("without end"), std::string::npos) << flood.raw;
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

// A solver of bit vectors alone is of use for bit vectors.
TEST_F(Foreign, ATheoryThatItDoesNotKnowIsNoLie) {
  const std::string bits =
      "grep -q BitVec \"$1\" && exec z3 \"$1\"\necho '(error \"unknown logic\")'; exit 1";
  EXPECT_EQ(failed("bits", bits), "");
  EXPECT_NE(failed("bits-and-lies", "grep -q BitVec \"$1\" && exec z3 \"$1\"\necho sat"), "");
}

TEST_F(Foreign, OneWordIsAnAnswerAndNothingElse) {
  const auto ask = [&](const std::string& name, const std::string& body) {
    return ask_program(path(name, body), "(check-sat)\n", {});
  };
  EXPECT_TRUE(ask("sat", "echo sat").is_sat());
  EXPECT_TRUE(ask("unsat", "echo unsat; exit 20").is_unsat()) << "exit codes of solvers differ";
  EXPECT_EQ(ask("unknown", "echo unknown").reason, Reason::gave_up);
  EXPECT_EQ(ask("signal", "echo unsat; kill -SEGV $$").reason, Reason::solver_crash);
  EXPECT_EQ(ask("shout", "echo UNSAT").reason, Reason::solver_crash);
  EXPECT_EQ(ask_program("/no/such/solver", "", {}).reason, Reason::solver_missing);
}

}  // namespace
}  // namespace hallmark::smt
