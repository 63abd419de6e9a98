// Further shapes of the twelve needs (needs_test.cpp has one check each): what a tool gets wrong once it was
// made to pass the first check.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "../bundle/tamper.h"
#include "base/files.h"
#include "base/json.h"
#include "bundle/gate.h"
#include "bundle/layout.h"
#include "bundle/open.h"
#include "bundle/writer.h"
#include "cases.h"
#include "program.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;
using testing::start;

const std::string relu = HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt";
const std::string store = "bounds/relu_1 store 1/source";

std::string script(const std::string& folder, const std::string& name, const std::string& body) {
  fs::create_directories(folder);
  const std::string path = folder + "/" + name;
  write_file(path, "#!/bin/sh\n" + body + "\n");
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

std::string rule(const std::string& folder, const std::string& name, const std::string& body) {
  const std::string path = folder + "/" + name + ".hm";
  write_file(path, "hallmark 1\nrule " + name + "\n" + body);
  return path;
}
const std::string wrong_sides =
    "  input x : f32[n]\n  left  Y : f32[i < n] = x[i] + 1\n  right Y : f32[i < n] = x[i]\n";

json::value json_of(const ProcessResult& run) {
  EXPECT_FALSE(run.out.empty()) << run.err;
  return parse_json(run.out, "report");
}

std::size_t count(const json::value& report, const char* state) {
  return report.at("counts").at(state).to_number<std::size_t>();
}

// The two levels of kernels in which everything is proved, with the solver's real programs.
struct Needs : ::testing::Test {
  TemporaryFolder top;
  std::string at(const std::string& name) const { return top.path() + "/" + name; }
  // A z3 of another build: the same answers from another program.
  std::string another_build(const std::string& before = "") const {
    script(at("bin"), "z3", before + "exec " + find_tool("z3").value() + " \"$@\"");
    return at("bin");
  }
};

TEST_F(Needs, U01AReasonThatNobodyHasHeardOfIsKeptAsItIs) {
  script(at("bin"), "z3",
         "while read -r line; do case \"$line\" in\n"
         "  '(check-sat'*) echo unknown;;\n"
         "  *:reason-unknown*) echo '(:reason-unknown \"(quux ((incomplete) phase-of-the-moon))\")';;\n"
         "  '(echo'*) echo \"$line\" | sed 's/(echo \"*//; s/\"*)$//';;\n"
         "esac; done");
  const ProcessResult run = start({"--format", "json", "run", relu, "-o", at("out")}, at("bin"));
  const json::value report = json_of(run);
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(count(report, "refuted"), 0u);
  for (const json::value& o : report.at("obligations").as_array())
    if (!o.at("query").as_array().empty()) {
      EXPECT_NE(o.at("state").as_string(), "proved") << o.at("id");
      EXPECT_TRUE(o.at("witness").is_null());
    }
}

TEST_F(Needs, U01NoTimeAtAllIsRefusedAndTheSmallestBudgetDecidesNothing) {
  EXPECT_EQ(start({"--deadline", "0", "run", relu, "-o", at("out")}).code, 4);
  EXPECT_FALSE(fs::exists(at("out")));
  testing::run_model("relu", at("good"));
  EXPECT_EQ(start({"replay", at("good"), store, "--budget", "0"}).code, 2);
  EXPECT_EQ(start({"replay", at("good"), store, "--budget", "-1"}).code, 2);
  // One unit of the solvers' resources: not decided, and never the recorded answer.
  const ProcessResult least = start({"replay", at("good"), store, "--budget", "0.0000003"});
  EXPECT_NE(least.code, 1) << least.out << "a limit refutes nothing";
}

TEST_F(Needs, U02ThroughAPipeThatNobodyReadsTheCodeIsTheSame) {
  const std::string wrong = rule(top.path(), "wrong", "  size n\n" + wrong_sides);
  const ProcessResult piped = run_process(
      {"bash", "-c", "set -o pipefail; " HALLMARK_PROGRAM " --format json rules prove " + wrong + " | true"});
  EXPECT_EQ(piped.code, 1);
}

TEST_F(Needs, U02RefutedBeatsUnrunAndNothingToProveIsNoSuccess) {
  const std::string both = at("both.hm");
  write_file(both, "hallmark 1\nrule wrong\n  size n\n" + wrong_sides +
                       "\nrule vacuous\n  size n\n  require n > 5\n  require n < 3\n" + wrong_sides);
  const ProcessResult run = start({"--format", "json", "rules", "prove", both});
  EXPECT_EQ(run.code, 1) << run.err;
  const json::value report = json_of(run);
  EXPECT_EQ(count(report, "refuted"), 1u);
  EXPECT_EQ(count(report, "unrun"), 1u);
  fs::create_directories(at("empty"));
  write_file(at("empty/none.hm"), "hallmark 1\n");
  EXPECT_NE(start({"rules", "prove", at("empty")}).code, 0);
}

TEST_F(Needs, U03TheLimitIsRecordedAndOneThreadOrTwoAreTheSame) {
  ASSERT_EQ(start({"--jobs", "1", "run", relu, "-o", at("one"), "--units"}).code, 0);
  ASSERT_EQ(start({"--jobs", "2", "run", relu, "-o", at("two")}).code, 0);
  EXPECT_EQ(read_file(at("one/5-evidence/receipt.json")), read_file(at("two/5-evidence/receipt.json")));
  const bundle::OpenBundle opened = bundle::open_bundle(at("one"));
  for (const bundle::SolverIdentity& s : opened.receipt->identities.solvers)
    EXPECT_GT(std::stoul(s.limit), 0u);
  EXPECT_FALSE(opened.observations->units.empty()) << "the amount used, as an observation";
}

TEST_F(Needs, U03AWallClockIsAnotherReasonThanAResourceLimit) {
  EXPECT_NE(name(Reason::wall_limit), name(Reason::resource_limit));
  const ProcessResult run = start({"--format", "json", "--deadline", "0.001", "run", relu, "-o", at("out")});
  const json::value report = json_of(run);
  for (const json::value& o : report.at("obligations").as_array()) {
    EXPECT_NE(o.at("reason").as_string(), "resource-limit") << o.at("id");
  }
}

TEST_F(Needs, U04AnotherBuildOfASolverIsSaid) {
  testing::run_model("relu", at("out"));
  const std::string bin = another_build();
  const ProcessResult audited = start({"audit", at("out")}, bin);
  EXPECT_EQ(audited.code, 0) << audited.out;
  EXPECT_NE(audited.out.find("z3: the receipt was made with"), std::string::npos) << audited.out;
  EXPECT_EQ(start({"audit", at("out"), "--strict"}, bin).code, 3);
}

TEST_F(Needs, U04WarningsOnStderrAreNoAnswers) {
  const std::string bin = another_build("echo 'WARNING: unsat core is deprecated: sat unsat unknown' >&2\n");
  const ProcessResult run = start({"--format", "json", "run", relu, "-o", at("out")}, bin);
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(count(json_of(run), "unrun"), 0u);
}

TEST_F(Needs, U05ADumpWithoutAnySolverIsReadByAnotherOne) {
  const ProcessResult dump = start({"--format", "json", "run", relu, "-o", at("dump"), "--dump-only"});
  EXPECT_EQ(dump.code, 3) << dump.err;
  std::size_t queries = 0;
  const json::value report = json_of(dump);
  for (const json::value& o : report.at("obligations").as_array()) {
    if (o.at("query").as_array().empty()) continue;
    EXPECT_EQ(o.at("state").as_string(), "unrun") << o.at("id");
    EXPECT_EQ(o.at("reason").as_string(), "solver-missing") << o.at("id");
    for (const json::value& q : o.at("query").as_array()) {
      ++queries;
      EXPECT_TRUE(fs::exists(std::string(q.at("file").as_string())));
    }
  }
  EXPECT_GT(queries, 10u);
  // Every goal is decided by a solver that had no part in the dump; goals of true obligations have no
  // solution.
  std::size_t asked = 0;
  for (const json::value& o : report.at("obligations").as_array())
    for (const json::value& q : o.at("query").as_array())
      if (++asked <= 30) {
        const ProcessResult cvc5 = run_process({"cvc5", std::string(q.at("file").as_string())});
        EXPECT_EQ(cvc5.out, q.at("purpose").as_string() == "goal" ? "unsat\n" : "sat\n") << cvc5.err;
      }
}

TEST_F(Needs, U05TheSameBytesAgain) {
  testing::run_model("add", at("a"));
  testing::run_model("add", at("b"));
  const auto queries = [&](const std::string& folder) {
    std::map<std::string, std::string> out = testing::files_below(folder + "/" + bundle::query_folder);
    return out;
  };
  EXPECT_FALSE(queries(at("a")).empty());
  EXPECT_EQ(queries(at("a")), queries(at("b")));
}

TEST_F(Needs, U06AContractThatNoInputMeets) {
  write_file(at("empty.toml"), "version = 1\n[inputs.x]\nlow = 1\nhigh = -1\n");
  const ProcessResult run = start({"run", relu, "--contract", at("empty.toml"), "-o", at("out")});
  EXPECT_EQ(run.code, 4) << run.out;
  EXPECT_NE(run.err.find("empty.toml"), std::string::npos) << run.err;
  write_file(at("sizes.toml"), "version = 1\n[dimensions]\nN = { low = 9, high = 3 }\n");
  EXPECT_EQ(start({"run", relu, "--contract", at("sizes.toml"), "-o", at("out")}).code, 4);
}

TEST_F(Needs, U06AKernelUnderBoundsThatNoLaunchMeets) {
  write_file(at("k.cu"),
             "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
             "  y[blockIdx.x * 32 + threadIdx.x] = x[7 * n];\n}\n");
  const auto spec = [&](const std::string& where) {
    write_file(at("k.hm"),
               "hallmark 1\nkernel k\nparam x : f32[n] in\nparam y : f32[n] out\nparam n : i32\n" + where +
                   "launch grid (ceil_div(n, 32)) block (32)\nensures y[i < n] = x[i]\n");
    return start({"--format", "json", "kernel", "check", at("k.cu"), "--kernel", "k", "--spec", at("k.hm"),
                  "--level", "source"});
  };
  const ProcessResult vacuous = spec("where n > 5\nwhere n < 3\n");
  EXPECT_NE(vacuous.code, 0) << vacuous.out;
  if (!vacuous.out.empty()) {
    EXPECT_EQ(count(json_of(vacuous), "proved"), 0u) << vacuous.out;
  }
  EXPECT_EQ(spec("where 1 <= n <= 2^20\n").code, 1) << "and without the contradiction it is refuted";
}

TEST_F(Needs, U07RightUpToABoundIsNotRightForAll) {
  write_file(at("k.cu"),
             "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
             "  const int i = blockIdx.x * 32 + threadIdx.x;\n"
             "  if (i < n) y[i] = i == 64 ? 0.0f : x[i] + x[i];\n}\n");
  const auto check = [&](const std::string& bound) {
    write_file(at("k.hm"),
               "hallmark 1\nkernel k\nparam x : f32[n] in\nparam y : f32[n] out\nparam n : i32\n"
               "where 1 <= n <= " +
                   bound + "\nlaunch grid (ceil_div(n, 32)) block (32)\nensures y[i < n] = x[i] + x[i]\n");
    return start({"kernel", "check", at("k.cu"), "--kernel", "k", "--spec", at("k.hm"), "--level", "source"});
  };
  const ProcessResult small = check("64"), large = check("65");
  EXPECT_EQ(small.code, 0) << small.out;
  EXPECT_NE(small.out.find("64"), std::string::npos) << "the bound stands beside the verdict\n" << small.out;
  EXPECT_EQ(large.code, 1) << large.out;
  EXPECT_NE(large.out.find("n = 65"), std::string::npos) << large.out;
}

TEST_F(Needs, U07WhatAVerdictAssumesStandsBesideIt) {
  write_file(at("k.cu"),
             "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
             "  const int i = blockIdx.x * 32 + threadIdx.x;\n"
             "  if (i < n) y[i] = x[i] + x[i];\n}\n");
  const auto check = [&](const std::string& equality) {
    write_file(at("k.hm"),
               "hallmark 1\nkernel k\nparam x : f32[n] in\nparam y : f32[n] out\nparam n : i32\n"
               "where 1 <= n <= 2^20\nlaunch grid (ceil_div(n, 32)) block (32)\nequality " +
                   equality + "\nensures y[i < n] = x[i] + x[i]\n");
    return start({"kernel", "check", at("k.cu"), "--kernel", "k", "--spec", at("k.hm"), "--level", "source"});
  };
  const ProcessResult reals = check("reals"), bits = check("bits");
  EXPECT_EQ(reals.code, 0) << reals.out;
  EXPECT_EQ(bits.code, 0) << bits.out;
  EXPECT_NE(reals.out.find("assumed, not proved"), std::string::npos) << reals.out;
  EXPECT_NE(reals.out.find("roundings-erased"), std::string::npos) << reals.out;
  EXPECT_EQ(bits.out.find("roundings-erased"), std::string::npos) << bits.out;
}

TEST_F(Needs, U07ThatAnAssemblyStatementStaysInItsPlaceIsAssumedOrSaid) {
  const auto check = [&](const std::string& said) {
    write_file(at("k.cu"),
               "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
               "  const int i = blockIdx.x * 32 + threadIdx.x;\n  if (i >= n) return;\n  float v;\n"
               "  asm volatile(\"ld.global.f32 %0, [%1];\" : \"=f\"(v) : \"l\"(x + i)" +
                   said + ");\n  y[i] = v + v;\n}\n");
    write_file(
        at("k.hm"),
        "hallmark 1\nkernel k\nparam x : f32[n] in\nparam y : f32[n] out\nparam n : i32\n"
        "where 1 <= n <= 2^20\nlaunch grid (ceil_div(n, 32)) block (32)\nensures y[i < n] = x[i] + x[i]\n");
    return start({"kernel", "check", at("k.cu"), "--kernel", "k", "--spec", at("k.hm"), "--level", "source"});
  };
  const ProcessResult assumed = check(""), said = check(" : \"memory\"");
  EXPECT_EQ(assumed.code, 0) << assumed.out;
  EXPECT_EQ(said.code, 0) << said.out;
  EXPECT_NE(assumed.out.find("volatile-assembly-stays"), std::string::npos) << assumed.out;
  EXPECT_EQ(said.out.find("volatile-assembly-stays"), std::string::npos) << said.out;
}

TEST_F(Needs, U07ThatOutputsOfAssemblyLieApartFromItsInputsIsAssumedWhereItMatters) {
  const auto check = [&](const std::string& text) {
    write_file(at("k.cu"),
               "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
               "  const int i = blockIdx.x * 32 + threadIdx.x;\n  if (i >= n) return;\n  int r;\n  asm(\"" +
                   text + "\" : \"=r\"(r) : \"r\"(i));\n  y[r] = x[r] + x[r];\n}\n");
    write_file(
        at("k.hm"),
        "hallmark 1\nkernel k\nparam x : f32[n] in\nparam y : f32[n] out\nparam n : i32\n"
        "where 1 <= n <= 2^20\nlaunch grid (ceil_div(n, 32)) block (32)\nensures y[i < n] = x[i] + x[i]\n");
    return start({"kernel", "check", at("k.cu"), "--kernel", "k", "--spec", at("k.hm"), "--level", "source"});
  };
  const ProcessResult early = check("mov.b32 %0, 0; add.s32 %0, %0, %1;"), late = check("add.s32 %0, %1, 0;");
  EXPECT_EQ(early.code, 0) << early.out;
  EXPECT_EQ(late.code, 0) << late.out;
  EXPECT_NE(early.out.find("assembly-operands-apart"), std::string::npos) << early.out;
  EXPECT_EQ(late.out.find("assembly-operands-apart"), std::string::npos) << late.out;
}

TEST_F(Needs, U08AnAlertKeepsItsIdentityWhenLinesMove) {
  Obligation o;
  o.kind = ObligationKind::bounds;
  o.level = Level::source;
  o.subject = "k store 1";
  o.id = "bounds/k store 1/source";
  o.statement = "s";
  o.outcome = Outcome::unrun(Reason::gave_up, "z3 said unknown");
  o.location.file = "k.cu";
  const auto sarif = [&](std::size_t line) {
    Obligation moved = o;
    moved.location.line = line;
    const bundle::Report report = bundle::checked_report("k.cu", {moved}, "obligation", "obligations",
                                                         [](const Obligation&) { return "x"; });
    return parse_json(bundle::render(report, bundle::Format::github), "sarif");
  };
  const auto result = [](const json::value& log) { return log.at("runs").at(0).at("results").at(0); };
  EXPECT_EQ(result(sarif(3)).at("partialFingerprints"), result(sarif(30)).at("partialFingerprints"));
  EXPECT_NE(result(sarif(3)).at("locations"), result(sarif(30)).at("locations"));
}

TEST_F(Needs, U08ARunThatWasCutShortDoesNotLookClean) {
  const ProcessResult late =
      start({"--format", "sarif", "--deadline", "0.001", "run", relu, "-o", at("out")});
  const json::value log = parse_json(late.out, "sarif");
  EXPECT_FALSE(log.at("runs").at(0).at("invocations").at(0).at("executionSuccessful").as_bool());
  bool open = false;
  for (const json::value& r : log.at("runs").at(0).at("results").as_array())
    open = open || r.at("kind").as_string() == "open";
  EXPECT_TRUE(open);
}

TEST_F(Needs, U09AFailedReceiptSaysNothingThatReadsAsSuccess) {
  const std::string model = at("roots.onnxtxt");
  write_file(model,
             "<ir_version: 8, opset_import: [\"\" : 17]>\nroots (float[N] x) => (float[N] y)\n{\n"
             "  y = Sqrt(x)\n}\n");
  EXPECT_EQ(start({"run", model, "-o", at("out")}).code, 1);
  const bundle::OpenBundle opened = bundle::open_bundle(at("out"));
  ASSERT_TRUE(opened.receipt);
  EXPECT_TRUE(opened.receipt->verdict.starts_with("Refuted:")) << opened.receipt->verdict;
  EXPECT_EQ(opened.receipt->verdict.find("For every input inside the contract"), std::string::npos);
}

TEST_F(Needs, U09AReceiptOfOneArtifactDoesNotVouchForAnother) {
  testing::run_model("relu", at("a"));
  testing::run_model("add", at("b"));
  const std::string digest = bundle::open_bundle(at("a")).artifact_digest();
  const auto gate = [&](const std::string& folder) {
    write_file(at("p.toml"), read_file(testing::corpus() + "/policies/default.toml") +
                                 "\n[expect]\nartifact = \"" + digest + "\"\n");
    return start({"gate", folder, "--policy", at("p.toml")}).code;
  };
  EXPECT_EQ(gate(at("a")), 0);
  EXPECT_EQ(gate(at("b")), 3);
}

TEST_F(Needs, U10AnEmptyOrForbiddenProgramIsNoSolver) {
  fs::create_directories(at("bin"));
  write_file(at("bin/z3"), "");
  fs::permissions(at("bin/z3"), fs::perms::owner_all);
  write_file(at("bin/cvc5"), "this is no program");
  fs::permissions(at("bin/cvc5"), fs::perms::owner_all);
  const ProcessResult run = start({"--format", "json", "run", relu, "-o", at("out")}, at("bin"));
  EXPECT_EQ(run.code, 3) << run.err;
  const json::value report = json_of(run);
  for (const json::value& o : report.at("obligations").as_array())
    if (!o.at("query").as_array().empty()) {
      EXPECT_EQ(o.at("state").as_string(), "unrun") << o.at("id");
    }
}

TEST_F(Needs, U10ACompilerThatOnlyExitsLeavesPtxUnrun) {
  script(at("bin"), "nvcc", "exit 127");
  const ProcessResult run = start({"--format", "json", "run", relu, "-o", at("out")}, at("bin"));
  const json::value report = json_of(run);
  for (const json::value& o : report.at("obligations").as_array())
    if (o.at("level").as_string() == "ptx") {
      EXPECT_EQ(o.at("state").as_string(), "unrun") << o.at("id");
      // It is there and did not do its work: never the reason that a policy may tolerate where nothing is
      // there.
      EXPECT_EQ(o.at("reason").as_string(), "gave-up") << o.at("id");
    }
  EXPECT_EQ(run.code, 3);
}

TEST_F(Needs, U11AVerdictOfAnotherBuildIsAsked) {
  ASSERT_EQ(start({"run", relu, "-o", at("a"), "--cache", at("cache")}).code, 0);
  const std::string bin = another_build("echo asked >> " + at("log") + "\n");
  ASSERT_EQ(start({"run", relu, "-o", at("b"), "--cache", at("cache")}, bin).code, 0);
  EXPECT_TRUE(fs::exists(at("log"))) << "the other build was started";
  const bundle::OpenBundle a = bundle::open_bundle(at("a")), b = bundle::open_bundle(at("b"));
  EXPECT_NE(a.receipt->identities.solvers, b.receipt->identities.solvers);
}

TEST_F(Needs, U11ACacheOfSomebodyElseProvesNothing) {
  // An attacker's machine, on which every solver says unsat to everything but passes for the right one.
  ASSERT_EQ(start({"run", relu, "-o", at("a"), "--cache", at("cache")}).code, 0);
  ::setenv("XDG_STATE_HOME", at("another-user").c_str(), 1);
  const ProcessResult run = start({"run", relu, "-o", at("b"), "--cache", at("cache")});
  ::unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(read_file(at("a/5-evidence/receipt.json")), read_file(at("b/5-evidence/receipt.json")));
  EXPECT_NE(run.err.find("cache"), std::string::npos) << "and it is said: " << run.err;
}

TEST_F(Needs, U12EveryStateOfABundleIsPutToAnotherMachineInOneCommand) {
  testing::run_model("relu", at("out"));
  const ProcessResult all = start({"replay", at("out")});
  EXPECT_EQ(all.code, 0) << all.out;
  EXPECT_NE(all.out.find(" 0 refuted, 0 not replayable"), std::string::npos) << all.out;
}

// The receipt is made to say that something true is refuted, with a witness that looks like one.
TEST_F(Needs, U12AWitnessThatIsNoneIsNotConfirmed) {
  testing::run_model("relu", at("out"));
  const std::string id = "tolerance/y/model";
  bundle::testing::forge(at("out"), [&](bundle::Receipt& receipt) {
    for (Obligation& o : receipt.obligations) {
      if (o.id != id) continue;
      o.outcome = {};
      o.outcome.state = State::refuted;
      o.outcome.reason = Reason::none;
      o.outcome.witness.emplace();
      o.outcome.witness->summary = "y[0] = 7 against 3";
      o.outcome.witness->bindings = {{"N", "1"}, {"x", "3 (0x40400000)"}};
      o.outcome.witness->executed_by = "evaluator";
      fs::create_directories(at("out/") + bundle::witness_folder);
      write_file(at("out/") + bundle::witness_file(id), bundle::witness_text(o));
    }
  });
  ASSERT_TRUE(bundle::open_bundle(at("out")).findings.empty());
  const ProcessResult replayed = start({"replay", at("out"), id});
  EXPECT_EQ(replayed.code, 1) << replayed.out << replayed.err;
  EXPECT_NE(replayed.out.find("does not refute"), std::string::npos) << replayed.out;
  EXPECT_EQ(start({"audit", at("out"), "--offline"}).code, 5) << "interval bounds need no solver";
}

}  // namespace
}  // namespace hallmark
