// The five stages: from an ONNX model to a bundle with an honest receipt.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bundle/audit.h"
#include "bundle/keys.h"
#include "bundle/policy.h"
#include "bundle/report.h"

namespace hallmark::pipeline {

struct RunRequest {
  std::string model;  // path of an ONNX file
  std::optional<std::string>
      contract;  // path of a TOML file; MODEL.contract.toml beside the model is taken when there is one
  std::string target = "h100-sxm5";
  std::string corpus;  // folder with rules and targets
  std::string output;  // bundle folder
  bundle::Policy policy = bundle::default_policy();
  std::vector<std::string> solvers;  // names that may be used; empty: all
  std::string cache;                 // path of the verdict cache; empty: none
  std::vector<bundle::PrivateKey> keys;
};

using Say = std::function<void(const std::string&)>;  // one line of progress

struct RunResult {
  bundle::Report report;
  int exit_code = 70;
};

RunResult run(const RunRequest& request, const Say& say);

// `audit` and `gate`: the bundle's obligations derived and discharged again.
bundle::AuditResult audit_bundle(const std::string& folder, const bundle::Policy& policy,
                                 std::vector<bundle::PublicKey> pinned,
                                 const std::vector<std::string>& solvers, std::optional<std::int64_t> now,
                                 const Say& say);

}  // namespace hallmark::pipeline
