#include "pipeline/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"
#include "bundle/coverage.h"
#include "bundle/verdict.h"
#include "bundle/writer.h"
#include "pipeline/assumptions.h"
#include "pipeline/choose.h"
#include "pipeline/store.h"

namespace hallmark::pipeline {
namespace {

namespace fs = std::filesystem;

smt::PortfolioOptions portfolio_options(const std::vector<std::string>& solvers, const std::string& cache) {
  smt::PortfolioOptions options;
  options.selected = solvers;
  options.cache_path = cache;
  return options;
}

bool is_text_model(const std::string& path) {
  return fs::path(path).extension() == ".onnxtxt";
}

contract::Contract load_contract(const RunRequest& request, const Say& say) {
  if (request.contract) return contract::load(*request.contract);
  const fs::path beside = fs::path(request.model).replace_extension(".contract.toml");
  if (fs::exists(beside)) {
    say("contract " + beside.string());
    return contract::load(beside.string());
  }
  say("no contract given: the default (inputs in [-1, 1]) is written out and named as an assumption");
  return {};
}

bundle::SolverIdentity recorded(const smt::SolverIdentity& s, const smt::Budget& budget) {
  bundle::SolverIdentity out;
  out.name = s.name;
  out.version = s.binary_sha256.empty() ? "missing" : s.version;
  out.binary_sha256 = s.binary_sha256;
  out.options = {s.options};
  for (const auto& [file, digest] : s.libraries) out.options.push_back(file + " sha256:" + digest);
  out.seed = std::to_string(s.seed);
  out.limit = std::to_string(s.name == "z3" ? budget.z3_units : budget.cvc5_units);
  return out;
}

// Whether what the scanner counts in the texts has its obligations; a hole is a fault of ours.
void check_coverage(const Evidence& e, const std::vector<Obligation>& list) {
  std::vector<std::pair<std::string, std::string>> texts = e.cuda;
  if (e.ptx.reason == Reason::none) texts.push_back({"kernels.ptx", e.ptx.text});
  const bundle::Scan scan =
      bundle::scan_artifact(texts, canonical_json(plan::to_json(e.plan)), e.formulation.program.outputs);
  const std::vector<std::string> holes = bundle::uncovered(scan, list);
  ensure(holes.empty(), holes.empty() ? "" : "the list of obligations has a hole: " + holes.front());
}

Evidence assemble(const Authored& authored, Choice& choice) {
  Candidate& elected = choice.candidates[choice.elected];
  Evidence e;
  e.authored = authored.model.program;
  e.contract = authored.contract;
  e.rules = choice.rules;
  e.steps = elected.steps;
  e.elected = elected.exact;
  e.formulation = elected.formulation;
  e.plan = elected.artifact.plan;
  for (const lowering::KernelFile& file : elected.artifact.kernels) e.cuda.push_back({file.name, file.text});
  e.ptx = compile_to_ptx(e.cuda);
  for (plan::PlannedLaunch& launch : e.plan.launches) {
    for (const auto& [name, text] : e.cuda)
      if (name == launch.source) launch.source_sha256 = sha256_hex(text);
    if (e.ptx.reason != Reason::none) continue;
    launch.binary = "kernels.ptx";
    launch.binary_sha256 = sha256_hex(e.ptx.text);
  }
  return e;
}

bundle::Identities identities(const Evidence& e, const RunRequest& request, const Authored& authored,
                              smt::Portfolio& portfolio, std::map<std::string, std::string> roles) {
  bundle::Identities out;
  out.tool_version = HALLMARK_VERSION;
  out.roles = std::move(roles);
  out.policy_name = request.policy.name;
  out.policy_sha256 = request.policy.sha256;
  const smt::Budget budget;
  for (const smt::SolverIdentity& s : portfolio.identities()) {
    const bool selected = request.solvers.empty() || std::find(request.solvers.begin(), request.solvers.end(),
                                                               s.name) != request.solvers.end();
    bundle::SolverIdentity identity = recorded(s, budget);
    if (!selected) {
      identity.version = "missing";
      identity.binary_sha256.clear();
    }
    out.solvers.push_back(std::move(identity));
  }
  out.assumptions = assumptions_of(e, authored.model.assumptions);
  out.outputs = e.authored.outputs;
  out.default_boxes = default_boxes_of(e.contract);
  out.settings = settings_of(e);
  if (e.ptx.reason != Reason::none) out.absent.push_back({"PTX of the kernels", e.ptx.reason, e.ptx.detail});
  return out;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

}  // namespace

RunResult run(const RunRequest& request, const Say& say) {
  bundle::Observations observations;
  observations.started = bundle::utc_time(std::time(nullptr));
  observations.host = host_name();
  say("[1/5] model " + request.model);
  const std::string bytes = read_file(request.model);
  const Authored authored =
      import_with_contract(bytes, is_text_model(request.model), load_contract(request, say));
  say(fmt::format("      {} definitions, {} inputs, {} outputs", authored.model.program.definitions.size(),
                  authored.model.program.inputs.size(), authored.model.program.outputs.size()));

  smt::Portfolio portfolio(portfolio_options(request.solvers, request.cache));
  ChooseOptions options;
  options.target = select::load_target(request.target, request.corpus);
  options.sizes = select::default_sizes(authored.model.program);
  if (fs::exists(request.corpus + "/rules")) options.library = rules::load_rules({request.corpus + "/rules"});
  say("[2/5] search");
  Choice choice = choose(authored.model.program, authored.contract, options, portfolio,
                         [&](const std::string& what) { say("      " + what); });
  say("[3/5] select: " + choice.candidates[choice.elected].name);
  say(fmt::format("[4/5] lower: {} kernels", choice.candidates[choice.elected].artifact.kernels.size()));
  const Evidence e = assemble(authored, choice);
  const ArtifactTexts texts(e.cuda, e.ptx);
  std::vector<Obligation> list = list_obligations(e, texts);
  const bundle::FixedList fixed(list);
  check_coverage(e, list);
  say(fmt::format("[5/5] program: {} obligations", list.size()));
  const auto start = std::chrono::steady_clock::now();
  discharge(list, e, texts, portfolio, [&](const std::string& stage, std::size_t done, std::size_t total) {
    say(fmt::format("      [{}/{}] {}", done + 1, total, stage));
  });
  observations.notes["seconds of discharge"] =
      fmt::format("{:.3f}", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());

  bundle::BundleWriter writer(request.output);
  const std::string model_file = is_text_model(request.model) ? "model.onnxtxt" : "model.onnx";
  const std::map<std::string, std::string> roles = store(
      writer, e, model_file, bytes, lowering::map_to_json(choice.candidates[choice.elected].artifact.map));
  writer.add_file("2-candidates/space.json", canonical_json(choice.space));
  writer.add_file("3-selection/selection.json", canonical_json(choice.record));
  writer.add_queries(list, portfolio.recorded_texts());
  observations.finished = bundle::utc_time(std::time(nullptr));
  const bundle::Identities who = identities(e, request, authored, portfolio, roles);
  const bundle::Receipt receipt = writer.publish(fixed, list, who, observations, request.keys);

  RunResult out;
  bundle::GateContext context;
  for (const bundle::Assumption& a : who.assumptions) context.assumptions.push_back(a.id);
  context.default_boxes = who.default_boxes;
  const bundle::GateResult gate = bundle::apply_policy(receipt.obligations, request.policy, context);
  out.report.subject = request.output;
  out.report.verdict = receipt.verdict;
  out.report.obligations = gate.obligations;
  out.report.findings = gate.violations;
  out.report.exit_code = gate.exit_code;
  out.report.query_folder = request.output + "/5-evidence/obligations";
  out.report.replay = [folder = request.output](const Obligation& o) {
    return bundle::replay_command(folder, o);
  };
  out.exit_code = gate.exit_code;
  return out;
}

bundle::AuditResult audit_bundle(const std::string& folder, const bundle::Policy& policy,
                                 std::vector<bundle::PublicKey> pinned,
                                 const std::vector<std::string>& solvers, std::optional<std::int64_t> now,
                                 const Say& say) {
  // Everything is derived once, when the audit first asks, and shared by its questions.
  struct Again {
    Evidence evidence;
    std::unique_ptr<ArtifactTexts> texts;
    std::vector<Obligation> list;
    bool discharged = false;
  };
  const auto again = std::make_shared<Again>();
  const auto portfolio = std::make_shared<smt::Portfolio>(portfolio_options(solvers, {}));
  bundle::AuditOptions options;
  options.policy = policy;
  options.pinned = std::move(pinned);
  options.now = now;
  options.derive_obligations = [again](const bundle::OpenBundle& bundle) {
    again->evidence = restore(bundle);
    again->texts = std::make_unique<ArtifactTexts>(again->evidence.cuda, again->evidence.ptx);
    again->list = list_obligations(again->evidence, *again->texts);
    return again->list;
  };
  options.reestablish = [again, portfolio, say](const bundle::OpenBundle&,
                                                const Obligation& o) -> std::optional<Outcome> {
    if (!again->texts) return std::nullopt;
    if (!again->discharged) {
      discharge(again->list, again->evidence, *again->texts, *portfolio,
                [&](const std::string& stage, std::size_t done, std::size_t total) {
                  say(fmt::format("[{}/{}] {}", done + 1, total, stage));
                });
      again->discharged = true;
    }
    for (const Obligation& mine : again->list)
      if (mine.id == o.id) return mine.outcome;
    return std::nullopt;
  };
  return bundle::audit(folder, options);
}

}  // namespace hallmark::pipeline
