#include "pipeline/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "bundle/report.h"
#include "cli/command.h"
#include "cli/corpus.h"
#include "cli/exit_code.h"

namespace hallmark::cli {
namespace {

struct RunOptions {
  std::string model, contract, target = "h100-sxm5", policy, output, cache;
  std::vector<std::string> keys;
};

pipeline::Say progress() {
  return [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
}

bundle::Policy policy_from(const std::string& path) {
  return path.empty() ? bundle::default_policy() : bundle::parse_policy(read_file(path), path);
}

int run(const RunOptions& o, const Common& common) {
  pipeline::RunRequest request;
  request.model = o.model;
  if (!o.contract.empty()) request.contract = o.contract;
  request.target = o.target;
  request.corpus = corpus_folder();
  request.output = o.output;
  request.policy = policy_from(o.policy);
  request.solvers = solver_list(common);
  request.cache = o.cache;
  for (const std::string& key : o.keys)
    request.keys.push_back(bundle::PrivateKey::from_pem(read_file(key), key));
  const pipeline::RunResult result = pipeline::run(request, progress());
  std::cout << bundle::render(result.report, *bundle::format_of(common.format));
  if (common.format == "text")
    fmt::print(
        "\nWhere to look next:\n  {0}/4-artifact              the CUDA text, the PTX and the launch plan\n"
        "  {0}/5-evidence/receipt.json every obligation with its state\n  hallmark audit {0}        derive "
        "and check everything again\n",
        o.output);
  return result.exit_code;
}

struct AuditOptions {
  std::string folder, policy;
  std::vector<std::string> keys;
};

int audit(const AuditOptions& o, const Common& common) {
  std::vector<bundle::PublicKey> pinned;
  for (const std::string& key : o.keys) pinned.push_back(bundle::PublicKey::from_pem(read_file(key), key));
  const bundle::AuditResult result =
      pipeline::audit_bundle(o.folder, policy_from(o.policy), std::move(pinned), solver_list(common),
                             std::time(nullptr), progress());
  std::cout << bundle::render(result.report, *bundle::format_of(common.format));
  return result.exit_code;
}

}  // namespace

void add_run(Registration r) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* command =
      r.app.add_subcommand("run", "the five stages: from an ONNX model to a bundle with a receipt");
  command->add_option("model", o->model, "ONNX model (.onnx, or ONNX's text form .onnxtxt)")->required();
  command->add_option("--contract", o->contract,
                      "numerical contract (TOML); default: MODEL.contract.toml beside the model");
  command->add_option("--target", o->target, "target file or its name in corpus/targets")
      ->capture_default_str();
  command->add_option("--policy", o->policy, "gate policy (TOML); default: the shipped one");
  command->add_option("--cache", o->cache, "verdict cache (SQLite file); default: none");
  command->add_option("--key", o->keys, "private Ed25519 key (PEM) to sign the receipt with");
  command->add_option("-o,--output", o->output, "bundle folder to write")->required();
  command->callback([r, o] { r.chosen = [r, o] { return run(*o, r.common); }; });
}

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
    command->add_option("--pin", o->keys, "public Ed25519 key (PEM) that you trust");
    command->callback([r, o] { r.chosen = [r, o] { return audit(*o, r.common); }; });
  }
}

}  // namespace hallmark::cli
