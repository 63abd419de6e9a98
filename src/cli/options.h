// Options that several subcommands share, and what they become.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "pipeline/run.h"

namespace hallmark::cli {

struct ContextOptions {
  std::string target = "h100-sxm5", workload, cost_model = "roofline", constraints = "none";
};
void add_context_options(CLI::App& command, ContextOptions& options);
pipeline::ContextRequest context_request(const ContextOptions& options);

struct PackageOptions {
  std::string output, policy, cache;
  std::vector<std::string> keys;
  bool units = false, dump_only = false;
};
void add_package_options(CLI::App& command, PackageOptions& options);
void fill(pipeline::PackageRequest& request, const PackageOptions& options, const Common& common);

// Solvers, jobs and deadline. Throws UserError E9103 for a time that is none: 90, 90s, 10m, 1.5h.
pipeline::Effort effort(const Common& common);
bundle::Policy policy_from(const std::string& path);
std::vector<bundle::PublicKey> public_keys(const std::vector<std::string>& paths);
// Lines on stderr.
pipeline::Say progress();
// The report on stdout, and where to look next.
int print_run(const pipeline::RunResult& result, const std::string& output, const Common& common);

}  // namespace hallmark::cli
