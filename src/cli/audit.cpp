#include "pipeline/audit.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/sha256.h"
#include "bundle/report.h"
#include "cli/command.h"
#include "cli/corpus.h"
#include "cli/options.h"
#include "contract/contract.h"

namespace hallmark::cli {
namespace {

struct AuditOptions {
  std::string folder, policy, sample, waivers, baseline, model;
  std::string target, workload, cost_model, constraints, contract;
  std::vector<std::string> keys, waiver_keys;
  std::uint64_t seed = 0;
  bool strict = false, offline = false, reprove = false;
};

// "5%" or "0.05".
double part_of(const std::string& text) {
  char* end = nullptr;
  double part = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  if (unit == "%") part /= 100;
  if (end == text.c_str() || (!unit.empty() && unit != "%") || !(part > 0) || part > 1)
    throw UserError("E9104", "'" + text + "' is no part of a whole; expected 5% or 0.05");
  return part;
}

std::map<std::string, std::string> wanted_context(const AuditOptions& o) {
  std::map<std::string, std::string> out;
  const std::string corpus = corpus_folder();
  if (!o.target.empty()) out["target"] = select::load_target(o.target, corpus).sha256;
  if (!o.workload.empty()) out["workload"] = select::load_workload(o.workload, corpus).sha256;
  if (!o.cost_model.empty()) out["cost-model"] = select::load_cost_model(o.cost_model, corpus).sha256;
  if (!o.constraints.empty()) out["constraints"] = select::load_constraints(o.constraints, corpus).sha256;
  return out;
}

int audit(const AuditOptions& o, const Common& common) {
  pipeline::AuditRequest request;
  request.policy = policy_from(o.policy);
  request.pinned = public_keys(o.keys);
  request.effort = effort(common);
  request.now = std::time(nullptr);
  request.offline = o.offline;
  if (o.offline && o.reprove) throw UserError("E9105", "--offline and --reprove exclude each other");
  if (!o.sample.empty()) request.sample = part_of(o.sample);
  request.seed = o.seed;
  request.strict = o.strict;
  request.context = wanted_context(o);
  request.contract = o.contract;
  request.baseline = o.baseline;
  request.waivers = o.waivers;
  request.waiver_keys = public_keys(o.waiver_keys);
  request.model = o.model;
  request.corpus = corpus_folder();
  request.compile = !o.offline && o.sample.empty();
  const bundle::AuditResult result = pipeline::audit_bundle(o.folder, request, progress());
  std::cout << bundle::render(result.report, *bundle::format_of(common.format));
  return result.exit_code;
}

}  // namespace

void add_audit(Registration r) {
  for (const char* name : {"audit", "gate"}) {
    auto o = std::make_shared<AuditOptions>();
    const bool is_gate = std::string(name) == "gate";
    CLI::App* command = r.app.add_subcommand(
        name, is_gate ? "audit a bundle under a policy of yours; the exit code is the verdict"
                      : "check a bundle: every byte, every obligation derived and discharged again");
    command->add_option("bundle", o->folder, "bundle folder")->required();
    CLI::Option* policy = command->add_option("--policy", o->policy, "gate policy (TOML)");
    if (is_gate) policy->required();
    command->add_option(
        "--pin", o->keys,
        "public Ed25519 key (PEM) that must have signed the receipt; of several, as many as the "
        "policy's threshold");
    command->add_flag("--offline", o->offline,
                      "ask no solver: what is not signed is then only what the receipt says");
    command->add_flag("--reprove", o->reprove,
                      "prove every obligation again (the default; excludes --offline)");
    command->add_option("--sample", o->sample,
                        "prove only a part again, such as 5%; the rest needs a signature");
    command->add_option("--seed", o->seed, "which sample")->capture_default_str();
    command->add_flag("--strict", o->strict, "other versions of the tool, a solver or nvcc are a failure");
    command->add_option("--waivers", o->waivers, "waivers (TOML, with FILE.sig by a waiver key)");
    command->add_option("--waiver-key", o->waiver_keys,
                        "public Ed25519 key (PEM) that may sign waivers; default: the pinned ones may");
    command->add_option("--baseline", o->baseline, "bundle of the last receipt: nothing new may be open");
    command->add_option("--model", o->model, "the model, where the bundle withholds it")
        ->check(CLI::ExistingFile);
    for (auto [option, into] : {std::pair{"--target", &o->target},
                                {"--workload", &o->workload},
                                {"--cost-model", &o->cost_model},
                                {"--constraints", &o->constraints}})
      command->add_option(option, *into, "what the plan is wanted for; under another it is stale");
    command->add_option("--contract", o->contract, "the contract that the plan is wanted for");
    command->callback([r, o] { r.chosen = [r, o] { return audit(*o, r.common); }; });
  }
}

}  // namespace hallmark::cli
