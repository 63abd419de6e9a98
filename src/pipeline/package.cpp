#include "pipeline/package.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/error.h"
#include "base/secret.h"
#include "base/sha256.h"
#include "bundle/coverage.h"
#include "bundle/gate.h"
#include "bundle/obligation_json.h"
#include "pipeline/assumptions.h"
#include "pipeline/certificates.h"

namespace hallmark::pipeline {
namespace {

bundle::SolverIdentity recorded(const smt::SolverIdentity& s, const smt::Budget& budget) {
  bundle::SolverIdentity out;
  out.name = s.name;
  out.version = s.binary_sha256.empty() ? "missing" : s.version;
  out.binary_sha256 = s.binary_sha256;
  out.options = {s.options};
  for (const auto& [file, digest] : s.libraries) out.libraries[file] = digest;
  out.seed = std::to_string(s.seed);
  out.limit = std::to_string(s.name == "z3" ? budget.z3_units : budget.cvc5_units);
  return out;
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// Everything that an outcome depends on beside its statement and the artifact: this very program, the solvers
// with options, seeds and limits.
std::string spool_context(const std::vector<bundle::SolverIdentity>& solvers) {
  json::array all{HALLMARK_VERSION, sha256_file("/proc/self/exe")};
  for (const bundle::SolverIdentity& s : solvers) {
    json::object libraries;
    for (const auto& [file, digest] : s.libraries) libraries[file] = digest;
    json::array options;
    for (const std::string& option : s.options) options.emplace_back(option);
    all.push_back(json::array{s.name, s.version, s.binary_sha256, libraries, options, s.seed, s.limit});
  }
  return sha256_hex(canonical_json(all));
}

std::string files_digest(const Files& files) {
  json::array all;
  for (const auto& [path, bytes] : files) all.push_back(json::array{path, sha256_hex(bytes)});
  return sha256_hex(canonical_json(all));
}

}  // namespace

smt::PortfolioOptions portfolio_options(const Effort& effort) {
  smt::PortfolioOptions options;
  options.selected = effort.solvers;
  options.cache_path = effort.cache;
  options.measure_units = effort.measure_units;
  if (effort.no_solvers)
    for (smt::SolverProgram& program : options.wanted) program.program = "/nonexistent/" + program.name;
  return options;
}

std::vector<bundle::SolverIdentity> recorded_solvers(smt::Portfolio& portfolio,
                                                     const std::vector<std::string>& selected) {
  std::vector<bundle::SolverIdentity> out;
  const smt::Budget budget;
  for (const smt::SolverIdentity& s : portfolio.identities()) {
    bundle::SolverIdentity identity = recorded(s, budget);
    if (!selected.empty() && std::find(selected.begin(), selected.end(), s.name) == selected.end()) {
      identity.version = "missing";
      identity.binary_sha256.clear();
    }
    out.push_back(std::move(identity));
  }
  return out;
}

std::vector<std::string> coverage_holes(const Evidence& e, const std::vector<Obligation>& list) {
  std::vector<std::pair<std::string, std::string>> texts = e.cuda;
  if (e.ptx.reason == Reason::none) texts.push_back({"kernels.ptx", e.ptx.text});
  const bundle::Scan scan =
      bundle::scan_artifact(texts, canonical_json(plan::to_json(e.plan)), e.formulation.program.outputs);
  return bundle::uncovered(scan, list);
}

Packager::Packager(const PackageRequest& request, const Say& say)
    : request_(request), say_(say), portfolio_(portfolio_options(request.effort)) {
  observations_.started = bundle::utc_time(std::time(nullptr));
  observations_.host = host_name();
  if (local_secret().empty())
    say_("no secret that this user alone can read (XDG_STATE_HOME or HOME): a stopped run cannot be resumed");
  recall_ = std::make_unique<Recall>(
      request.output, spool_context(recorded_solvers(portfolio_, request.effort.solvers)), portfolio_);
}

RunResult Packager::publish(const Authored& authored, const Evidence& e, const Files& files,
                            const std::vector<Origin>& origins) {
  recall_->narrow(files_digest(files));
  const ArtifactTexts texts(e.cuda, e.ptx);
  std::vector<Obligation> list = list_obligations(e, texts);
  const bundle::FixedList fixed(list);
  const std::vector<std::string> holes = coverage_holes(e, list);
  if (!holes.empty()) {
    const std::string what = "the list of obligations has a hole: " + holes.front();
    // Files that somebody changed may well have kernels that nothing launches.
    if (std::any_of(origins.begin(), origins.end(),
                    [](const Origin& o) { return !o.differs.empty() || !o.unknown.empty(); }))
      mismatch(what);
    throw InternalError(what);
  }
  say_(fmt::format("[5/5] package: {} obligations", list.size()));
  DischargeOptions options;
  options.recall = recall_.get();
  options.jobs = request_.effort.jobs;
  if (request_.effort.deadline)
    options.deadline = start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                    std::chrono::duration<double>(*request_.effort.deadline));
  const auto start = std::chrono::steady_clock::now();
  discharge(
      list, e, texts, portfolio_,
      [&](const std::string& stage, std::size_t done, std::size_t total) {
        say_(fmt::format("      [{}/{}] {}", done + 1, total, stage));
      },
      options);
  observations_.notes["seconds of discharge"] =
      fmt::format("{:.3f}", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  if (recall_->resumed() > 0) {
    say_(fmt::format("      {} verdicts taken over from an earlier run", recall_->resumed()));
    observations_.notes["verdicts resumed"] = std::to_string(recall_->resumed());
  }
  if (!request_.effort.cache.empty()) observations_.notes["verdict cache"] = request_.effort.cache;
  if (const std::string warning = portfolio_.cache_warning(); !warning.empty()) say_("      " + warning);
  for (const Obligation& o : list)
    if (const auto seen = recall_->observed().find(o.id); seen != recall_->observed().end())
      observations_.obligations[o.id] = seen->second;
  observations_.units = portfolio_.recorded_units();

  const auto certifying = std::chrono::steady_clock::now();
  const std::map<std::string, std::string> certificates =
      certify_goals(list, recall_->texts(), request_.effort.jobs);
  const std::map<std::string, std::string> of_statements = StatementCertificates(e).certify(list);
  say_(fmt::format("      {} certificates", certificates.size() + of_statements.size()));
  observations_.notes["seconds of certificates"] = fmt::format(
      "{:.3f}", std::chrono::duration<double>(std::chrono::steady_clock::now() - certifying).count());
  bundle::BundleWriter writer(request_.output);
  for (const auto& [path, bytes] : files) writer.add_file(path, bytes);
  writer.add_queries(list, recall_->texts());
  for (const auto& [query, certificate] : certificates) writer.add_certificate(query, certificate);
  for (const Obligation& o : list)
    if (const auto found = of_statements.find(bundle::statement_digest(o)); found != of_statements.end())
      writer.add_statement_certificate(o, found->second);
  observations_.finished = bundle::utc_time(std::time(nullptr));
  bundle::Identities who = identities(authored, e, files, origins);
  add_named(who.assumptions, list);
  const bundle::Receipt receipt = writer.publish(fixed, list, who, observations_, request_.keys);
  recall_->finish(std::none_of(list.begin(), list.end(),
                               [](const Obligation& o) { return o.outcome.reason == Reason::interrupted; }));
  return judged(receipt, who);
}

bundle::Identities identities_of(const Authored& authored, const Evidence& e,
                                 const json::value& record_of_space, const std::vector<Origin>& origins) {
  bundle::Identities out;
  out.roles = roles_of(authored);
  out.assumptions = assumptions_of(e, authored.model.assumptions);
  out.outputs = e.authored.outputs;
  out.default_boxes = default_boxes_of(e.contract);
  out.settings = settings_of(e);
  out.settings.merge(settings_of(origins));
  out.settings["rule-library-sha256"] = recorded_library(record_of_space);
  if (e.ptx.reason != Reason::none) out.absent.push_back({"PTX of the kernels", e.ptx.reason, e.ptx.detail});
  return out;
}

bundle::Identities Packager::identities(const Authored& authored, const Evidence& e, const Files& files,
                                        const std::vector<Origin>& origins) {
  bundle::Identities out = identities_of(authored, e, parse_json(files.at(space_file), space_file), origins);
  out.tool_version = HALLMARK_VERSION;
  out.tool_sha256 = sha256_file("/proc/self/exe");
  out.policy_name = request_.policy.name;
  out.policy_sha256 = request_.policy.sha256;
  out.solvers = recorded_solvers(portfolio_, request_.effort.solvers);
  return out;
}

RunResult Packager::judged(const bundle::Receipt& receipt, const bundle::Identities& who) const {
  bundle::GateContext context;
  for (const bundle::Assumption& a : who.assumptions) context.assumptions.push_back(a.id);
  context.default_boxes = who.default_boxes;
  const bundle::GateResult gate = bundle::apply_policy(receipt.obligations, request_.policy, context);
  RunResult out;
  out.report.subject = request_.output;
  out.report.verdict = receipt.verdict;
  out.report.obligations = gate.obligations;
  out.report.findings = gate.violations;
  bundle::describe(who, out.report);
  out.report.exit_code = gate.exit_code;
  out.report.query_folder = request_.output + "/5-evidence/obligations";
  out.report.replay = [folder = request_.output](const Obligation& o) {
    return bundle::replay_command(folder, o);
  };
  out.report.all_rows = bundle::report_command(request_.output);
  out.exit_code = gate.exit_code;
  return out;
}

}  // namespace hallmark::pipeline
