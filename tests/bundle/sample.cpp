#include "sample.h"

#include <unistd.h>

#include <cstdlib>

#include "base/sha256.h"

namespace hallmark::bundle::testing {
namespace {

// These tests write many small bundles, each flushed to the disk. Where there is a memory file system they do
// so there, and a busy disk does not slow them down.
[[maybe_unused]] const bool in_memory = [] {
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
  return true;
}();

}  // namespace

Obligation claim(ObligationKind kind, Level level, const std::string& subject) {
  Obligation o;
  o.id = std::string(name(kind)) + "/" + subject + "/" + std::string(name(level));
  o.kind = kind;
  o.level = level;
  o.subject = subject;
  o.statement = "the claim " + o.id + " in full";
  o.scope = "any n >= 1";
  o.strength = "bits";
  o.location = {"4-artifact/relu.cu", 4, 14, ""};
  return o;
}

void prove(Obligation& o, QueryTexts& texts, const std::vector<std::string>& solvers) {
  o.outcome = {};
  o.outcome.state = State::proved;
  o.outcome.reason = Reason::none;
  o.outcome.discharged_by = solvers;
  for (const char* purpose : {"goal", "hypotheses", "mutated-goal"}) {
    const std::string text = "; " + o.id + " " + purpose + "\n(set-logic QF_LIA)\n(check-sat)\n";
    QueryRecord query{sha256_hex(text), purpose, {}};
    for (const std::string& solver : solvers)
      query.answers.push_back({solver, std::string(purpose) == "goal" ? "unsat" : "sat", ""});
    texts[query.sha256] = text;
    o.outcome.queries.push_back(query);
  }
}

void refute(Obligation& o, const std::string& summary) {
  o.outcome = {};
  o.outcome.state = State::refuted;
  o.outcome.reason = Reason::none;
  o.outcome.witness = Witness{summary, {{"n", "5"}, {"x", "[1, 2, 3, 4, 5]"}}, "0", "7", "interpreter"};
}

Sample::Sample() {
  using Kind = ObligationKind;
  for (const Kind kind : {Kind::defined, Kind::erasure, Kind::rounding})
    obligations.push_back(claim(kind, Level::plan, "Y"));
  obligations.push_back(claim(Kind::tolerance, Level::model, "Y"));
  obligations.push_back(claim(Kind::rewrite_step, Level::rule, "step 1"));
  for (const Level level : {Level::source, Level::ptx})
    for (const Kind kind : {Kind::bounds, Kind::alignment, Kind::overflow, Kind::init, Kind::race,
                            Kind::termination, Kind::coverage, Kind::frame, Kind::value})
      obligations.push_back(claim(kind, level, "relu"));
  obligations.push_back(claim(Kind::ub, Level::source, "relu"));
  for (const Kind kind : {Kind::launch, Kind::handoff})
    obligations.push_back(claim(kind, Level::ptx, "launch:0"));
  for (const Kind kind : {Kind::order, Kind::compose})
    obligations.push_back(claim(kind, Level::plan, "program"));
  obligations.push_back(claim(Kind::memory, Level::plan, "T"));
  for (Obligation& o : obligations) prove(o, texts);

  identities.tool_version = "0.1.0";
  identities.tool_sha256 = sha256_hex("hallmark");
  identities.roles = {{"model", "1-model/model.onnxtxt"},
                      {"contract", "1-model/contract.toml"},
                      {"plan", "3-selection/plan.hm"},
                      {"launch", "4-artifact/launch.json"}};
  identities.policy_name = default_policy().name;
  identities.policy_sha256 = default_policy().sha256;
  identities.solvers = {{"cvc5",
                         "1.0.3",
                         sha256_hex("cvc5"),
                         {{"libcvc5.so.1", sha256_hex("lib")}},
                         {"--lang=smt2"},
                         "0",
                         "1000000"},
                        {"z3", "4.8.12", sha256_hex("z3"), {}, {"-in"}, "0", "1000000"}};
  identities.assumptions = {{"importer", "the importer reads ONNX as its authors mean it", "ONNX"},
                            {"ptx-semantics", "PTX means what our reader says", "PTX ISA 9.0"}};
  identities.outputs = {"Y"};
  identities.settings = {{"barrier", "not-exited"}};
  observations = {"2024-05-31T12:00:00Z", "2024-05-31T12:00:09Z", "builder", {{"cores", "2"}}, {}, {}};
  for (const Obligation& o : obligations) observations.obligations[o.id] = {"fresh", "0.01"};
}

Obligation& Sample::at(const std::string& id) {
  for (Obligation& o : obligations)
    if (o.id == id) return o;
  throw InternalError("no obligation " + id);
}

Receipt Sample::write(const std::string& folder, const std::vector<PrivateKey>& keys) const {
  BundleWriter writer(folder);
  writer.add_file("1-model/model.onnxtxt", "Relu\n");
  writer.add_file("1-model/contract.toml", "n = \"1..1000\"\n");
  writer.add_file("2-candidates/candidates.json", "[]\n");
  writer.add_file("3-selection/plan.hm", "Y[i] = max(X[i], 0)\n");
  writer.add_file("4-artifact/relu.cu", sample_cuda);
  writer.add_file("4-artifact/relu.ptx", sample_ptx);
  writer.add_file("4-artifact/launch.json", sample_launch);
  writer.add_file("5-evidence/samples/n5.json", "[1, 2, 3, 4, 5]\n");
  writer.add_queries(obligations, texts);
  return writer.publish(FixedList(obligations), obligations, identities, observations, keys);
}

AuditOptions audit_with(const Sample& sample) {
  AuditOptions out;
  out.derive_obligations = [sample](const OpenBundle&) {
    std::vector<Obligation> list = sample.obligations;
    for (Obligation& o : list) o.outcome = {};
    return list;
  };
  out.reestablish = [sample](const OpenBundle&, const Obligation& asked) -> std::optional<Obligation> {
    for (const Obligation& o : sample.obligations)
      if (o.id == asked.id) return o;
    return std::nullopt;
  };
  return out;
}

}  // namespace hallmark::bundle::testing
