#include "cli/options.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.h"
#include "base/files.h"
#include "cli/corpus.h"
#include "cli/say.h"

namespace hallmark::cli {

void add_context_options(CLI::App& command, ContextOptions& o) {
  command.add_option("--target", o.target, "target file, or its name in corpus/targets")
      ->capture_default_str();
  command.add_option("--workload", o.workload,
                     "sizes with weights, latency or throughput: file, or its name in corpus/workloads; "
                     "default: the largest size of each symbol");
  command.add_option("--cost-model", o.cost_model, "file, or its name in corpus/cost-models")
      ->capture_default_str();
  command.add_option("--constraints", o.constraints, "file, or its name in corpus/constraints")
      ->capture_default_str();
}

pipeline::ContextRequest context_request(const ContextOptions& o) {
  pipeline::ContextRequest out;
  out.target = o.target;
  if (!o.workload.empty()) out.workload = o.workload;
  out.cost_model = o.cost_model;
  out.constraints = o.constraints;
  out.corpus = corpus_folder();
  return out;
}

void add_package_options(CLI::App& command, PackageOptions& o) {
  command.add_option("--policy", o.policy, "gate policy (TOML); default: the shipped one");
  command.add_option("--cache", o.cache, "verdict cache (SQLite file); default: none");
  command.add_option("--key", o.keys, "private Ed25519 key (PEM) to sign the receipt with; several may sign");
  command.add_flag(
      "--dump-only", o.dump_only,
      "start no solver: every query is written to 5-evidence/obligations, and what rests on one is "
      "unrun");
  command.add_flag("--units", o.units,
                   "observe what each obligation costs the solvers in their resource units (slower)");
  command.add_option("-o,--output", o.output, "bundle folder to write")->required();
}

void fill(pipeline::PackageRequest& request, const PackageOptions& o, const Common& common) {
  request.output = o.output;
  request.corpus = corpus_folder();
  request.policy = policy_from(o.policy);
  request.effort = effort(common);
  request.effort.cache = o.cache;
  request.effort.measure_units = o.units;
  request.effort.no_solvers = o.dump_only;
  for (const std::string& key : o.keys) request.keys.push_back(bundle::PrivateKey::load(key));
}

pipeline::Effort effort(const Common& common) {
  pipeline::Effort out;
  out.solvers = solver_list(common);
  out.jobs = common.jobs;
  if (common.deadline.empty()) return out;
  char* end = nullptr;
  double seconds = std::strtod(common.deadline.c_str(), &end);
  const std::string unit = end;
  seconds *= unit == "m" ? 60 : unit == "h" ? 3600 : 1;
  if (end == common.deadline.c_str() || (!unit.empty() && unit != "s" && unit != "m" && unit != "h") ||
      !(seconds > 0) || seconds > 1e9)
    throw UserError("E9103", "'" + common.deadline + "' is no time; expected 90, 90s, 10m or 1.5h");
  out.deadline = seconds;
  return out;
}

bundle::Policy policy_from(const std::string& path) {
  return path.empty() ? bundle::default_policy() : bundle::load_policy(path);
}

std::vector<bundle::PublicKey> public_keys(const std::vector<std::string>& paths) {
  std::vector<bundle::PublicKey> out;
  for (const std::string& path : paths) out.push_back(bundle::PublicKey::load(path));
  return out;
}

pipeline::Say progress() {
  return [](const std::string& line) { tell("{}\n", line); };
}

}  // namespace hallmark::cli
