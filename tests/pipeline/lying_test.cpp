// A solver that lies, talks nonsense, dies, hangs or eats memory never makes anything proved or refuted, and
// the rest of the run completes.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
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

// Every other command that asks solvers, with both of them replaced: what it proves or refutes then, it does
// without them, and as with honest ones.
TEST(LyingSolvers, ProveAndRefuteNothingInAnyCommand) {
  const TemporaryFolder top;
  const std::string corpus = HALLMARK_SOURCE_DIR "/corpus/", relu = corpus + "kernels/elementwise/relu";
  const std::string head = "<ir_version: 8, opset_import: [\"\" : 17]>\nm ";
  write_file(top.path() + "/a.onnxtxt",
             head +
                 "(float[M, N] x, float[N, K] w, float[K] b) => (float[M, K] y) { t = MatMul(x, w)\n y = "
                 "Add(t, b) }");
  write_file(top.path() + "/b.onnxtxt",
             head + "(float[M, N] x, float[N, K] w, float[K] b) => (float[M, K] y) { y = Gemm(x, w, b) }");
  const std::vector<std::vector<std::string>> commands = {
      {"rules", "prove", corpus + "examples/rules/01-first-rule.hm",
       corpus + "examples/rules/02-a-wrong-rule.hm"},
      {"compare", top.path() + "/a.onnxtxt", top.path() + "/b.onnxtxt"},
      {"kernel", "check", relu + ".cu", "--spec", relu + ".hm", "--level", "source"},
      {"kernel", "check", relu + ".cu", "--block", "256", "--level", "source"},
      {"kernel", "compare", relu + ".cu", relu + ".cu", "--kernel", "relu", "--block", "256"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.begin(), {"--format", "json"});
    const auto obligations = [&](const std::string& first_on_path) {
      const ProcessResult run = testing::start(command, first_on_path);
      return parse_json(run.out, command[2] + ": " + run.err).at("obligations").as_array();
    };
    std::set<std::pair<std::string, std::string>> honest;  // id, state
    std::size_t asked = 0;
    for (const json::value& o : obligations("")) {
      honest.emplace(o.at("id").as_string(), o.at("state").as_string());
      asked += o.at("query").as_array().empty() ? 0 : 1;
    }
    EXPECT_GT(asked, 0u) << command[2];
    for (const char* how : {"unsat", "sat", "garbage"}) {
      const TemporaryFolder folder;
      testing::lying_solver(folder.path(), "z3", how);
      for (const json::value& o : obligations(testing::lying_solver(folder.path(), "cvc5", how))) {
        const std::string id(o.at("id").as_string()), state(o.at("state").as_string());
        if (state == "unrun") continue;
        EXPECT_TRUE(honest.contains({id, state})) << how << ": " << id << " " << state;
        for (const json::value& by : o.at("discharged_by").as_array())
          EXPECT_TRUE(by.as_string() != "z3" && by.as_string() != "cvc5") << how << ": " << id;
      }
    }
  }
}

// The same of a solver that a replay is given by its path.
class Replays : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    top = new TemporaryFolder;
    const ProcessResult run = testing::start(
        {"run", HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt", "-o", top->path() + "/out"});
    ASSERT_EQ(run.code, 0) << run.err << run.out;
  }
  static void TearDownTestSuite() {
    delete top;
    top = nullptr;
  }
  static std::string bundle() { return top->path() + "/out"; }
  static std::string script(const std::string& name, const std::string& body) {
    const std::string file = top->path() + "/" + name;
    write_file(file, "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  static void expect(const std::vector<std::string>& arguments, int code, const std::string& words) {
    const ProcessResult run = testing::start(arguments);
    EXPECT_EQ(run.code, code) << arguments.back() << "\n" << run.out << run.err;
    EXPECT_NE(run.out.find(words), std::string::npos) << arguments.back() << "\n" << run.out;
    if (code == 0) return;
    EXPECT_EQ(run.out.find("CONFIRMED"), std::string::npos) << run.out;
    EXPECT_EQ(run.out.find("REFUTED"), std::string::npos) << run.out;
  }
  static inline TemporaryFolder* top = nullptr;
  const std::string id = "bounds/relu_1 store 1/source";
};

TEST_F(Replays, AProgramByPathThatFailsItsChecksConfirmsAndRefutesNothing) {
  for (const auto& [name, body] : std::vector<std::pair<std::string, std::string>>{
           {"sat", "echo sat"},
           {"unsat", "echo unsat"},
           {"unknown", "echo unknown"},
           {"garbage", "echo '(error \"unsat\")'; echo 'CONFIRMED REFUTED' | tr A-Z a-z"},
           {"silence", "exit 0"},
           {"signal", "kill -SEGV $$"},
           {"hang", "sleep 1000"}}) {
    const std::string solver = script(name, body);
    expect({"replay", bundle(), id, "--solver", solver}, 3,
           "UNREPLAYABLE " + id + ": " + solver + " failed its");
    if (name == "hang") continue;
    expect({"replay", bundle(), "--solver", solver}, 3, "UNREPLAYABLE: " + solver + " failed its checks");
    expect({"replay", bundle(), id, "--stability", "3", "--solver", solver}, 3, "failed its checks");
    expect({"--solvers", "z3,cvc5", "replay", bundle(), id, "--solver", solver}, 3, "failed its checks");
  }
}

TEST_F(Replays, OneThatPassesItsChecksAndLiesThenIsAnAlarmAndNoGrade) {
  for (const char* word : {"sat", "unsat"})
    for (const bool many : {false, true}) {
      const TemporaryFolder folder;
      std::vector<std::string> arguments{"replay", bundle(), id};
      if (many) arguments.insert(arguments.end(), {"--stability", "2"});
      arguments.insert(arguments.end(), {"--solver", testing::late_liar_by_path(folder.path(), 12, word)});
      expect(arguments, 1, "the solvers disagree");
    }
  // In the middle of its work, so that it contradicts itself under another seed.
  const TemporaryFolder folder;
  expect({"replay", bundle(), id, "--stability", "3", "--solver",
          testing::late_liar_by_path(folder.path(), 15, "sat")},
         1, "UNREPLAYABLE");
}

TEST_F(Replays, AnHonestProgramByPathConfirms) {
  for (const char* solver : {"z3", "cvc5"}) {
    expect({"replay", bundle(), id, "--solver", *find_tool(solver)}, 0, "CONFIRMED " + id);
    expect({"replay", bundle(), id, "--stability", "2", "--solver", *find_tool(solver)}, 0, "STABLE " + id);
  }
  expect({"replay", bundle(), id, "--solver", script("wrapped", "exec z3 \"$1\"")}, 0, "CONFIRMED " + id);
}

// A program in the working folder is asked itself, and not the known solver of its name.
TEST_F(Replays, AProgramWithoutASlashIsTheOneInTheWorkingFolder) {
  script("z3", "echo sat");
  const ProcessResult run =
      run_process({HALLMARK_PROGRAM, "replay", bundle(), id, "--solver", "z3"}, {}, {}, top->path());
  EXPECT_EQ(run.code, 3) << run.out << run.err;
  EXPECT_NE(run.out.find("./z3 failed its checks"), std::string::npos) << run.out;
}

}  // namespace
}  // namespace hallmark
