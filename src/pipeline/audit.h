// `audit` and `gate`: a bundle's obligations derived and discharged again (bundle/audit.h says what is
// compared and which exit codes follow).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bundle/audit.h"
#include "pipeline/run.h"

namespace hallmark::pipeline {

struct AuditRequest {
  bundle::Policy policy = bundle::default_policy();
  std::vector<bundle::PublicKey> pinned;
  Effort effort;
  std::optional<std::int64_t> now;  // seconds since 1970
  bool offline = false;             // ask no solver: states are only what the receipt says
  std::optional<double> sample;     // part of the obligations to establish again, in (0, 1]
  std::uint64_t seed = 0;           // of the sample
  bool strict = false;              // another version of the tool, a solver or the compiler is a failure
  // SHA-256 by part of the context (context.h) that the plan is wanted for; parts that differ make it stale.
  std::map<std::string, std::string> context;
  std::string contract;  // path of the contract that the plan is wanted for; empty: none
  std::string model;     // path of the model where the bundle withholds it; empty: nobody has it here
  std::string waivers;   // file of waivers, signed by a waiver key, or where there is none by a pinned key;
                         // empty: none
  std::vector<bundle::PublicKey> waiver_keys;  // beside those of the policy
  std::string baseline;                        // bundle folder of the last receipt; empty: none
  std::string corpus;    // has the library of rules; empty: the candidates are not searched again
  bool compile = false;  // the kernels are compiled again, and the PTX compared
};

bundle::AuditResult audit_bundle(const std::string& folder, const AuditRequest& request, const Say& say);

}  // namespace hallmark::pipeline
