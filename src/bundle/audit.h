// Checks a bundle without a network and without believing it: integrity (open.h), the list of obligations
// derived again and compared, the independent scan, the states established again, and then the policy. `gate`
// is the same with a policy of the user's (design, sections 4 and 6; soundness D2, D3).
//
// Exit 0 only if every state was established in this audit or the receipt is signed by enough pinned keys (a
// policy with `states.need = "recorded"` waives that, in writing); otherwise 3 with the note `states not
// re-established: N`.
//
// Whoever pins keys (`--pin`, [signatures] of the policy) asks for their signature, also where every state is
// established: a receipt that none or too few of them signed is E5320 and exit 3, as an unsigned one is
// without a pin (soundness D3). One that only other keys signed is a foreign receipt in the place of the
// wanted one: an integrity failure (E5223 of open.h, exit 5), whatever its states are. Without a pin no key
// is foreign, and signatures count for nothing.
//
//   E5230 the derived list differs   E5232 an unsigned state is contradicted       E5234 the list could not
//   be derived (exit 3) E5231 the scan finds a hole      E5233 the validator counts otherwise E5235 states
//   not re-established (exit 3) E5236 a signed state that this audit does not reach (exit 1)   E5237 another
//   version, with `strict` (exit 3) E5238 stale: elected under another context (exit 3)   E5239 not proved,
//   and proved in the baseline (exit 3) E5240 a certificate that does not check   E5241 what the receipt says
//   beside the obligations (assumptions, roles, outputs, boxes, settings) does not follow from the bundle
//   E5242 a file of a stage is not what that stage writes   E5243 the state holds and its recorded evidence
//   does not
//
// Rows of the report say what this audit found. A proof that it neither found nor has from a pinned key is
// shown as `unrun: stale`, never as proved; only a policy that believes recorded states shows those.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bundle/gate.h"
#include "bundle/open.h"
#include "bundle/report.h"
#include "bundle/waiver.h"

namespace hallmark::bundle {

struct AuditOptions {
  Policy policy = default_policy();
  std::vector<PublicKey> pinned;    // beside those of the policy
  std::optional<std::int64_t> now;  // seconds since 1970, for max_age_days
  std::string replay_folder;        // named in replay commands; empty: the audited folder

  // The complete list, derived from model, contract, plan and artifact alone. Outcomes are not looked at. A
  // Refusal or UserError from it is E5234.
  std::function<std::vector<Obligation>(const OpenBundle&)> derive_obligations;
  // What this audit itself finds for an obligation that the receipt lists; nothing when it could not look.
  // Queries that it asks must be derived in this audit, not read from the bundle: a forged query file is
  // easily unsat.
  std::function<std::optional<Obligation>(const OpenBundle&, const Obligation&)> reestablish;
  // Roles, assumptions, outputs, default boxes, settings and what is absent, derived from the stages.
  std::function<Identities(const OpenBundle&)> derive_identities;
  // The SHA-256 of each file below 1-model, 2-candidates, 3-selection and 4-artifact as it is written from
  // what is read there: a file that no stage reads, or that says more than is read, misleads.
  std::function<std::map<std::string, std::string>(const OpenBundle&)> derive_files;
  // Checks a certificate of an obligation that no solver had a part in, without the prover that had: a
  // sentence that says why it shows nothing, or nothing.
  std::function<std::string(const OpenBundle&, const Obligation&, const std::string& certificate)>
      check_statement_certificate;
  // The validator's own counts of each kernel's PTX, with keys of scanner::counts: memory accesses, barriers
  // and lane instructions. Others are not compared, nor are kernels with calls, which the validator inlines.
  std::function<std::map<std::string, std::map<std::string, std::size_t>>(const OpenBundle&)> ptx_counts;

  // What else contradicts the bundle, looked for after the states: findings of integrity.
  std::function<std::vector<Finding>(const OpenBundle&)> check_rest;

  // SHA-256 by part of the context that the plan is wanted for ("target", "workload", ...); compared with the
  // files that have these roles.
  std::map<std::string, std::string> context;
  // What this machine has: "hallmark", "nvcc" and each solver -> "VERSION sha256:DIGEST". Differences from
  // the receipt are notes, and with `strict` failures.
  std::map<std::string, std::string> versions;
  std::string build;  // SHA-256 of this program; another build of the same version is likewise a note, or
                      // with `strict` a failure
  bool strict = false;
  // States of the last receipt by id: nothing that was proved there may be open now, and nothing new may be.
  std::optional<std::map<std::string, State>> baseline;
  std::vector<Waiver> waivers;  // verified (waiver.h)
};

struct AuditResult {
  Report report;  // findings: integrity first, then policy
  std::size_t not_reestablished = 0;
  bool signed_by_pinned_keys = false;
  int exit_code = exit_integrity;
};

AuditResult audit(const std::string& folder, const AuditOptions&);

}  // namespace hallmark::bundle
