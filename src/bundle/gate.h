// A policy applied to obligations: the exit code and what stands in the way of 0. Pure: the same for `run`,
// `rules prove`, `kernel check`, `audit` and `gate`.
//
// Exit codes (design, section 6): 5 integrity, 1 refuted or solvers disagree, 3 undecided beyond policy or
// nothing to prove, 0 policy met; 5 beats 1 beats 3. A refuted `tolerance` or `range` at level plan is a
// statement about one kernel's box, not about the program (soundness B11): it counts as undecided, never as
// met.
//
//   E5310 refuted            E5313 too many unrun           E5316 another digest than expected
//   E5311 solvers disagree   E5314 assumption not allowed   E5317 too old, or its time unknown
//   E5312 not proved         E5315 default input box        E5318 nothing to prove
//   E5319 a waiver that applies to nothing or has expired
//   E5239 open, and proved in the baseline or not in it
//
// A waiver excuses one obligation that is unrun for the reason it names; nothing excuses a refutation or a
// disagreement. What is waived stays unrun in every count and is counted apart beside it.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bundle/manifest.h"
#include "bundle/policy.h"
#include "bundle/report.h"
#include "bundle/waiver.h"

namespace hallmark::bundle {

inline constexpr int exit_met = 0, exit_refuted = 1, exit_undecided = 3, exit_integrity = 5;

// The more serious of two exit codes.
int worse_exit(int, int);

// What a policy may look at beside the obligations; empty members are not looked at unless the policy asks
// for them.
struct GateContext {
  std::vector<std::string> assumptions;  // identifiers that the receipt lists
  std::vector<std::string> default_boxes;
  std::map<std::string, std::string> digests;              // role -> SHA-256; "artifact"
  std::optional<std::int64_t> finished, now;               // seconds since 1970
  std::optional<std::map<std::string, State>> baseline{};  // states of the last receipt, by id
  std::vector<Waiver> waivers{};
};

struct GateResult {
  std::vector<Obligation> obligations;  // after the demand for both solvers was applied
  std::vector<Finding> violations;  // in the order of the obligations; empty exactly when the exit code is 0
  std::map<std::string, std::string> waived;  // id -> by whom, until when, why
  int exit_code = exit_undecided;
};

GateResult apply_policy(const std::vector<Obligation>&, const Policy&, const GateContext& = {});

// The report of a check without a bundle (`rules prove`, `kernel check`): sorted, judged, with violations and
// exit code. `singular` and `plural` name what is proved: "rule", "rules".
Report checked_report(std::string subject, std::vector<Obligation>, const std::string& singular,
                      const std::string& plural, std::function<std::string(const Obligation&)> replay,
                      const Policy& policy = all_proved_policy());

// The policy's demand for both solvers on one outcome (answers.h).
Outcome with_quorum(const Obligation&, const Policy&);

}  // namespace hallmark::bundle
