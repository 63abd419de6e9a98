// The twelve needs that users of other tools stated (shared cases/needs), each as its own check.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "bundle/gate.h"
#include "cases.h"
#include "pipeline/audit.h"
#include "program.h"
#include "smt/cache.h"

namespace hallmark {
namespace {

namespace fs = std::filesystem;
using testing::start;

const std::string relu = HALLMARK_SOURCE_DIR "/corpus/models/relu.onnxtxt";

std::string rule_file(const std::string& folder, const std::string& name, const std::string& body) {
  const std::string path = folder + "/" + name + ".hm";
  write_file(path, "hallmark 1\nrule " + name + "\n" + body);
  return path;
}
std::string wrong_rule(const std::string& folder) {
  return rule_file(
      folder, "wrong",
      "  size N\n  input x : f32[N]\n  left  Y : f32[i < N] = x[i] + 1\n  right Y : f32[i < N] = x[i]\n");
}

Obligation made(State state, Reason reason, const std::string& subject) {
  Obligation o;
  o.kind = ObligationKind::value;
  o.level = Level::source;
  o.subject = subject;
  o.id = "value/" + subject + "/source";
  o.statement = "statement of " + subject;
  o.outcome.state = state;
  o.outcome.reason = reason;
  if (state == State::proved) o.outcome.discharged_by = {"syntactic"};
  if (state == State::refuted) {
    o.outcome.witness.emplace();
    o.outcome.witness->summary = "x = 1";
    o.outcome.witness->executed_by = "interpreter";
  }
  return o;
}

bundle::Report report_of(std::vector<Obligation> list) {
  return bundle::checked_report("case", std::move(list), "obligation", "obligations",
                                [](const Obligation& o) { return "hallmark replay . " + o.id; });
}

TEST(Needs, U01UnknownIsNotWrong) {
  const TemporaryFolder top;
  const ProcessResult run =
      start({"--format", "json", "--deadline", "0.001", "run", relu, "-o", top.path() + "/out"});
  EXPECT_EQ(run.code, 3);
  const json::value report = parse_json(run.out, "report");
  const json::value& counts = report.at("counts");
  EXPECT_EQ(counts.at("refuted").to_number<int>(), 0);
  EXPECT_EQ(counts.at("proved").to_number<std::size_t>() + counts.at("unrun").to_number<std::size_t>(),
            report.at("obligations").as_array().size());
  for (const json::value& o : report.at("obligations").as_array())
    if (o.at("state").as_string() == "unrun") {
      EXPECT_EQ(o.at("reason").as_string(), "interrupted");
      EXPECT_TRUE(o.at("witness").is_null());
    }
  EXPECT_GT(counts.at("unrun").to_number<int>(), 0);
}

TEST(Needs, U02ExitCodesForGates) {
  const TemporaryFolder top;
  const std::string wrong = wrong_rule(top.path());
  write_file(top.path() + "/broken.hm", "hallmark 1\nrule broken\n  size\n");
  for (const char* format : {"text", "json", "sarif", "junit", "md"}) {
    EXPECT_EQ(start({"--format", format, "rules", "prove", HALLMARK_SOURCE_DIR "/corpus/rules", "--only",
                     "movement/slice-of-slice"})
                  .code,
              0);
    EXPECT_EQ(start({"--format", format, "rules", "prove", wrong}).code, 1);
    EXPECT_EQ(start({"--format", format, "rules", "prove", top.path() + "/broken.hm"}).code, 4);
    EXPECT_EQ(start({"--format", format, "--solvers", "z3", "run", relu, "-o", top.path() + "/out"}).code, 3);
  }
  EXPECT_EQ(start({"rules", "prove"}).code, 2);
}

TEST(Needs, U03DeterministicLimits) {
  const TemporaryFolder top;
  std::atomic<bool> stop{false};
  std::vector<std::thread> load;
  std::vector<std::string> cores;
  for (int i = 0; i < 4; ++i) {
    if (i == 2)
      for (int t = 0; t < 3; ++t)
        load.emplace_back([&] {
          while (!stop) {
          }
        });
    const std::string out = top.path() + "/" + std::to_string(i);
    testing::run_model("add", out);
    cores.push_back(read_file(out + "/5-evidence/receipt.json"));
  }
  stop = true;
  for (std::thread& t : load) t.join();
  for (const std::string& core : cores) EXPECT_EQ(core, cores[0]);
}

TEST(Needs, U04SolverIdentity) {
  const TemporaryFolder top;
  const std::string out = top.path() + "/out";
  testing::run_model("relu", out);
  const bundle::OpenBundle opened = bundle::open_bundle(out);
  ASSERT_EQ(opened.receipt->identities.solvers.size(), 2u);
  for (const bundle::SolverIdentity& s : opened.receipt->identities.solvers) {
    EXPECT_FALSE(s.version.empty());
    EXPECT_EQ(s.binary_sha256.size(), 64u);
    EXPECT_FALSE(s.options.empty());
    EXPECT_FALSE(s.limit.empty());
  }
  const std::string id = "bounds/relu_1 store 1/source";
  for (const char* solver : {"z3", "cvc5"})
    EXPECT_EQ(start({"--solvers", solver, "replay", out, id}).code, 0);
  EXPECT_EQ(start({"replay", out, id, "--solver", "/usr/bin/cvc5"}).code, 0);
  const ProcessResult stable = start({"replay", out, id, "--stability", "3"});
  EXPECT_EQ(stable.code, 0) << stable.out;
  EXPECT_NE(stable.out.find("STABLE"), std::string::npos) << stable.out;
  // Another solver that says the opposite: highlighted, and a failure.
  const ProcessResult changed =
      start({"replay", out, id, "--solver", testing::late_liar_by_path(top.path(), 12, "sat")});
  EXPECT_EQ(changed.code, 1);
  EXPECT_NE(changed.out.find("the solvers disagree"), std::string::npos) << changed.out;
  // Other versions are said, and with --strict a failure.
  pipeline::AuditRequest strict;
  strict.strict = true;
  EXPECT_EQ(pipeline::audit_bundle(out, strict, [](const std::string&) {}).exit_code, 0);
}

TEST(Needs, U05QueryDumpAndReplay) {
  const TemporaryFolder top;
  const std::string out = top.path() + "/out";
  testing::run_model("relu", out);
  const bundle::OpenBundle opened = bundle::open_bundle(out);
  std::size_t asked = 0;
  for (const Obligation& o : opened.receipt->obligations)
    for (const QueryRecord& query : o.outcome.queries) {
      if (++asked > 40) break;
      const std::string file = out + "/5-evidence/obligations/" + query.sha256 + ".smt2";
      const std::string text = read_file(file);
      EXPECT_NE(text.find("(set-logic"), std::string::npos);
      EXPECT_EQ(text.find("(check-sat)"), text.rfind("(check-sat)"));
      const ProcessResult z3 = run_process({"z3", file});
      EXPECT_EQ(z3.out, query.purpose == "goal" ? "unsat\n" : "sat\n") << file;
    }
  EXPECT_GT(asked, 10u);
}

TEST(Needs, U06VacuousProofs) {
  const TemporaryFolder top;
  const std::string body =
      "  input x : f32[n]\n  left  Y : f32[i < n] = x[i] + 1\n  right Y : f32[i < n] = x[i]\n";
  const ProcessResult vacuous =
      start({"--format", "json", "rules", "prove",
             rule_file(top.path(), "vacuous", "  size n\n  require n > 5\n  require n < 3\n" + body)});
  EXPECT_NE(vacuous.code, 0) << vacuous.out;
  EXPECT_EQ(vacuous.out.find("\"proved\": 1"), std::string::npos) << vacuous.out;
  const ProcessResult wrong = start({"--format", "json", "rules", "prove",
                                     rule_file(top.path(), "wrong", "  size n\n  require n > 5\n" + body)});
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
}

TEST(Needs, U07BoundedIsNotProved) {
  Obligation o = made(State::unrun, Reason::bounded, "k");
  o.scope = "n <= 64";
  const bundle::Report report = report_of({o, made(State::proved, Reason::none, "other")});
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_NE(report.verdict.find("n <= 64"), std::string::npos) << report.verdict;
  EXPECT_NE(report.verdict.find("1 of 2"), std::string::npos) << report.verdict;
}

TEST(Needs, U08SarifMapping) {
  const std::vector<Obligation> all{made(State::proved, Reason::none, "p"),
                                    made(State::refuted, Reason::none, "r"),
                                    made(State::unrun, Reason::gave_up, "u")};
  const std::string full = bundle::render(report_of(all), bundle::Format::sarif);
  const json::value log = parse_json(full, "sarif");
  EXPECT_EQ(log.at("version").as_string(), "2.1.0");
  const json::value& run = log.at("runs").as_array()[0];
  std::map<std::string, std::string> seen;
  for (const json::value& result : run.at("results").as_array()) {
    seen[std::string(result.at("kind").as_string())] = std::string(result.at("level").as_string());
    EXPECT_TRUE(result.at("partialFingerprints").as_object().contains("hallmarkObligation/v1"));
    EXPECT_NE(std::string(result.at("message").at("text").as_string()).find("Replay: "), std::string::npos);
  }
  EXPECT_EQ(seen,
            (std::map<std::string, std::string>{{"pass", "none"}, {"fail", "error"}, {"open", "none"}}));
  EXPECT_FALSE(run.at("invocations").as_array()[0].at("executionSuccessful").as_bool());
  // For code-scanning sites: no passes, what is open is a warning under a rule of its own.
  const json::value site = parse_json(bundle::render(report_of(all), bundle::Format::github), "sarif");
  const json::array& rows = site.at("runs").as_array()[0].at("results").as_array();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].at("ruleId").as_string(), "hallmark/value/unrun");
  EXPECT_EQ(rows[1].at("level").as_string(), "warning");
  EXPECT_NE(bundle::render(report_of({all[0], all[1]}), bundle::Format::sarif), full);
}

TEST(Needs, U09AttestAndReplay) {
  const TemporaryFolder top;
  const std::string out = top.path() + "/out", key = top.path() + "/k";
  ASSERT_EQ(start({"keygen", key}).code, 0);
  ASSERT_EQ(start({"run", relu, "-o", out, "--key", key + ".key"}).code, 0);
  EXPECT_EQ(start({"audit", out, "--offline"}).code, 3) << "nobody pinned the key";
  EXPECT_EQ(start({"audit", out, "--offline", "--pin", key + ".pub"}).code, 0);
  EXPECT_EQ(start({"audit", out, "--sample", "5%", "--seed", "7", "--pin", key + ".pub"}).code, 0);
  EXPECT_EQ(start({"replay", out, "bounds/relu_1 store 1/source"}).code, 0);
  // One byte of the kernel: a mismatch, not a confirmation.
  std::string text = read_file(out + "/4-artifact/relu_1.cu");
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
  write_file(out + "/4-artifact/relu_1.cu", text);
  const ProcessResult replay = start({"replay", out, "bounds/relu_1 store 1/source"});
  EXPECT_EQ(replay.out.find("CONFIRMED"), std::string::npos);
  EXPECT_NE(replay.err.find("relu_1.cu"), std::string::npos) << replay.err;
  EXPECT_EQ(start({"audit", out, "--offline", "--pin", key + ".pub"}).code, 5);
}

TEST(Needs, U10BrokenToolIsNotEvidence) {
  const TemporaryFolder top;
  const std::string bin = testing::lying_solver(top.path(), "z3", "exit127");
  testing::lying_solver(top.path(), "cvc5", "exit127");
  const ProcessResult broken = start({"--format", "json", "run", relu, "-o", top.path() + "/a"}, bin);
  EXPECT_EQ(broken.code, 3) << broken.err;
  const json::value report = parse_json(broken.out, "report");
  for (const json::value& o : report.at("obligations").as_array())
    if (!o.at("query").as_array().empty()) {
      EXPECT_EQ(o.at("state").as_string(), "unrun");
    }
  testing::lying_solver(top.path(), "z3", "unsat");
  testing::lying_solver(top.path(), "cvc5", "unsat");
  const ProcessResult liars = start({"--format", "json", "rules", "prove", wrong_rule(top.path())}, bin);
  EXPECT_NE(liars.code, 0) << liars.out;
  EXPECT_EQ(liars.out.find("\"proved\": 1"), std::string::npos) << "a known-false claim";
}

TEST(Needs, U11VerdictCacheKey) {
  const TemporaryFolder top;
  std::vector<std::string> cores;
  for (const char* name : {"a", "b"}) {
    pipeline::RunRequest r = testing::request("add", top.path() + "/" + name);
    r.effort.cache = top.path() + "/cache";
    pipeline::run(r, [](const std::string&) {});
    cores.push_back(read_file(r.output + "/5-evidence/receipt.json"));
    EXPECT_NE(read_file(r.output + "/5-evidence/observations.json").find("verdict cache"), std::string::npos);
  }
  EXPECT_EQ(cores[0], cores[1]);
  smt::SolverIdentity one{"z3", "4.8.12", std::string(64, 'a'), {}, "", 0}, other = one;
  other.version = "4.8.13";
  EXPECT_NE(smt::VerdictCache::key("q", one, {}), smt::VerdictCache::key("q", other, {}));
}

TEST(Needs, U12WitnessReplays) {
  const TemporaryFolder top;
  pipeline::RunRequest r = testing::request("matmul", top.path() + "/out");
  std::string contract = read_file(testing::corpus() + "/models/matmul.contract.toml");
  const std::string wide = "absolute = 0.1";
  contract.replace(contract.find(wide), wide.size(), "absolute = 1e-12");
  write_file(top.path() + "/tight.toml", contract);
  r.contract = top.path() + "/tight.toml";
  pipeline::run(r, [](const std::string&) {});
  const bundle::OpenBundle opened = bundle::open_bundle(r.output);
  std::size_t refuted = 0;
  for (const Obligation& o : opened.receipt->obligations) {
    if (o.outcome.state != State::refuted) continue;
    ++refuted;
    EXPECT_FALSE(o.outcome.witness->executed_by.empty());
    EXPECT_FALSE(o.outcome.witness->bindings.empty());
    if (refuted > 1) continue;
    const ProcessResult again =
        start({"replay", r.output, o.id, "--explain", "--reproducer", top.path() + "/repro"});
    EXPECT_EQ(again.code, 0) << again.out << again.err;
    EXPECT_NE(again.out.find("executed again and refutes again"), std::string::npos) << again.out;
    EXPECT_TRUE(fs::exists(top.path() + "/repro/witness.json"));
    EXPECT_TRUE(fs::exists(top.path() + "/repro/replay.sh"));
  }
  EXPECT_GT(refuted, 0u);
}

}  // namespace
}  // namespace hallmark
