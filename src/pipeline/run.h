// The five stages: from an ONNX model to a bundle with an honest receipt, in one go or one at a time with
// text in between. `package` of the folders that the stage commands wrote gives the bytes that `run` gives.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bundle/keys.h"
#include "bundle/policy.h"
#include "bundle/report.h"
#include "pipeline/context.h"

namespace hallmark::pipeline {

// How verdicts are reached, wherever they are.
struct Effort {
  std::vector<std::string> solvers;  // names that may be used; empty: all
  std::string cache;                 // path of the verdict cache; empty: none
  unsigned jobs = 0;                 // threads, each with its own solver processes; 0: one a core
  bool measure_units = false;        // observe resource units of queries (smt/portfolio.h)
  // Seconds from now; what is open then is unrun, interrupted, and the next run of the same command goes on.
  std::optional<double> deadline;
  // No solver is started: every query is written, and what rests on one is unrun, solver-missing.
  bool no_solvers = false;
};

struct PackageRequest {
  std::string output;  // bundle folder
  bundle::Policy policy = bundle::default_policy();
  std::vector<bundle::PrivateKey> keys;
  Effort effort;
  std::string corpus;  // of `package`: has the library of rules that the candidates were searched with
};

struct RunRequest : PackageRequest {
  std::string model;  // path of an ONNX file
  std::optional<std::string>
      contract;  // path of a TOML file; MODEL.contract.toml beside the model is taken when there is one
  ContextRequest context;       // with the folder of rules, targets, ...
  bool withhold_model = false;  // the bundle names the model by its digest alone
};

using Say = std::function<void(const std::string&)>;  // one line of progress

struct RunResult {
  bundle::Report report;
  int exit_code = 70;
};

RunResult run(const RunRequest& request, const Say& say);

// One stage each: reads what the stages before it left in `folder` and replaces its own folder there. Throws
// UserError E7403, naming the command to run first, when something is missing.
void import_stage(const std::string& folder, const std::string& model,
                  const std::optional<std::string>& contract, const Say& say);
void search_stage(const std::string& folder, const ContextRequest& context, const Effort& effort,
                  const Say& say);
void select_stage(const std::string& folder, const ContextRequest& context, const Say& say);
void lower_stage(const std::string& folder, const Say& say);
RunResult package_stage(const std::string& folder, const PackageRequest& request, const Say& say);

}  // namespace hallmark::pipeline
