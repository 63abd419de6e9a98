// A solver that lies, talks nonsense, dies, hangs or eats memory never makes anything proved or refuted, and
// the rest of the run completes.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/files.h"
#include "base/json.h"
#include "program.h"

namespace hallmark {
namespace {

// What is written down of each answer of the liar: what happened, and never a verdict.
std::set<std::string> fitting(const std::string& how) {
  if (how == "unknown") return {"unknown"};
  if (how == "hang") return {"wall-limit"};
  // An interpreter that may have no more memory says so itself and ends.
  if (how == "memory") return {"memory-limit", "solver-crash"};
  return {"solver-crash"};
}

class LyingSolver : public ::testing::TestWithParam<const char*> {};

TEST_P(LyingSolver, ProvesAndRefutesNothing) {
  const TemporaryFolder top;
  const std::string bin = testing::lying_solver(top.path(), "z3", GetParam());
  const ProcessResult run =
      testing::start({"--format", "json", "run", HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt", "-o",
                      top.path() + "/out"},
                     bin);
  EXPECT_EQ(run.code, 3) << run.err << run.out;
  const json::value report = parse_json(run.out, "report");
  EXPECT_EQ(report.at("counts").at("refuted").to_number<int>(), 0);
  std::size_t open = 0, cvc5 = 0;
  for (const json::value& o : report.at("obligations").as_array()) {
    for (const json::value& by : o.at("discharged_by").as_array()) EXPECT_NE(by.as_string(), "z3");
    if (o.at("query").as_array().empty()) continue;
    // The policy wants both solvers: what one liar and one honest solver say is not proved.
    EXPECT_NE(o.at("state").as_string(), "proved") << o.at("id");
    ++open;
    for (const json::value& q : o.at("query").as_array())
      for (const json::value& a : q.at("answers").as_array()) {
        const std::string answer(a.at("answer").as_string());
        if (a.at("solver").as_string() == "z3") {
          EXPECT_TRUE(fitting(GetParam()).contains(answer)) << answer << ": " << a.at("raw").as_string();
        }
        cvc5 += a.at("solver").as_string() == "cvc5" &&
                        (a.at("answer").as_string() == "unsat" || a.at("answer").as_string() == "sat")
                    ? 1
                    : 0;
      }
  }
  EXPECT_GT(open, 5u);
  EXPECT_GT(cvc5, 5u) << "the honest solver was asked all the same";
}

INSTANTIATE_TEST_SUITE_P(How, LyingSolver,
                         ::testing::Values("unsat", "sat", "unknown", "garbage", "nothing", "crash", "hang",
                                           "memory"));

}  // namespace
}  // namespace hallmark
