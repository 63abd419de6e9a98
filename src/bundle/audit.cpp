#include "bundle/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "bundle/answers.h"
#include "bundle/coverage.h"
#include "bundle/layout.h"
#include "bundle/obligation_json.h"
#include "bundle/verdict.h"
#include "certificate/certificate.h"

namespace hallmark::bundle {
namespace {

class Auditor {
 public:
  Auditor(const std::string& folder, const AuditOptions& options) : options_(options) {
    std::vector<PublicKey> pinned = options.pinned;
    pinned.insert(pinned.end(), options.policy.keys.begin(), options.policy.keys.end());
    bundle_ = open_bundle(folder, pinned);
    result_.report.subject = folder;
    wanted_signatures_ = std::max<std::uint64_t>(1, options.policy.signature_threshold);
    pinned_ = !pinned.empty();
    result_.signed_by_pinned_keys = bundle_.signed_by.size() >= wanted_signatures_;
  }

  AuditResult run() {
    if (bundle_.receipt) {
      obligations_ = bundle_.receipt->obligations;
      // A bundle that was tampered with is not given to the pipeline: its readers need not be asked about it.
      if (bundle_.findings.empty()) {
        check_list();
        check_files();
        check_identities();
        check_scan();
        check_counts();
        check_certificates();
        check_states();
        if (options_.check_rest)
          for (const Finding& finding : options_.check_rest(bundle_)) bundle_.findings.push_back(finding);
      }
    }
    judge();
    return std::move(result_);
  }

 private:
  void integrity(const char* code, const std::string& where, const std::string& message) {
    bundle_.findings.push_back({code, where, message});
  }

  void check_list() {
    if (!options_.derive_obligations) {
      list_problem_ = "this audit cannot derive the list";
      return;
    }
    std::vector<Obligation> derived;
    try {
      derived = options_.derive_obligations(bundle_);
    } catch (const InternalError&) {
      throw;
    } catch (const Error& error) {
      list_problem_ = error.message() + " [" + error.code() + "]";
      return;
    }
    std::map<std::string, std::string> ours;
    for (const Obligation& o : derived)
      ensure(ours.emplace(o.id, statement_leaf(o)).second, "two derived obligations share the id " + o.id);
    for (const Obligation& o : obligations_) {
      const auto entry = ours.find(o.id);
      if (entry == ours.end()) {
        integrity("E5230", o.id, "the receipt lists an obligation that does not follow from the bundle");
      } else {
        if (entry->second != statement_leaf(o))
          integrity("E5230", o.id, "the receipt's statement is not the one that follows from the bundle");
        ours.erase(entry);
      }
    }
    for (const auto& [id, leaf] : ours)
      integrity("E5230", id, "the obligation follows from the bundle and the receipt leaves it out");
    list_derived_ = true;
  }

  // Both follow from what check_list derived; where that failed they have nothing to look at.
  void check_files() {
    if (!list_derived_ || !options_.derive_files) return;
    const std::map<std::string, std::string> ours = options_.derive_files(bundle_);
    for (const auto& [path, file] : bundle_.listing.files) {
      if (path.starts_with(stage_evidence)) continue;
      const auto entry = ours.find(path);
      if (entry == ours.end())
        integrity("E5242", path, "no stage reads or writes this file");
      else if (entry->second != file.sha256)
        integrity("E5242", path, "it is not what its stage writes");
    }
  }

  void check_identities() {
    if (!list_derived_ || !options_.derive_identities) return;
    const Identities ours = options_.derive_identities(bundle_), &theirs = bundle_.receipt->identities;
    const auto compare = [&](bool same, const char* member) {
      if (!same) integrity("E5241", member, "what the receipt says here does not follow from the bundle");
    };
    compare(ours.roles == theirs.roles, "roles");
    compare(ours.assumptions == theirs.assumptions, "assumptions");
    compare(ours.outputs == theirs.outputs, "outputs");
    compare(ours.default_boxes == theirs.default_boxes, "default_boxes");
    compare(ours.settings == theirs.settings, "settings");
    compare(ours.absent == theirs.absent, "absent");
  }

  void check_scan() {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const auto& [path, file] : bundle_.listing.files)
      if (path.starts_with(stage_artifact) && (path.ends_with(".cu") || path.ends_with(".ptx")))
        texts.emplace_back(path, bundle_.read(path));
    const Identities& about = bundle_.receipt->identities;
    const auto launch = about.roles.find("launch");
    if (launch == about.roles.end())
      return integrity("E5231", "launch", "no file has the role of the launch plan");
    try {
      scan_ = scan_artifact(texts, bundle_.read(launch->second), about.outputs);
      for (const std::string& hole : uncovered(*scan_, obligations_))
        integrity("E5231", stage_artifact.data(), hole);
    } catch (const UserError& error) {
      integrity("E5231", launch->second, "the launch plan cannot be read: " + error.message());
    }
  }

  void check_counts() {
    if (!options_.ptx_counts || !scan_) return;
    const auto theirs = options_.ptx_counts(bundle_);
    for (const Scan::Kernel& kernel : scan_->kernels) {
      if (kernel.level != Level::ptx || kernel.unit.constructs.empty()) continue;
      const auto entry = theirs.find(kernel.unit.name);
      // A kernel that the validator could not read is unrun, not miscounted.
      if (entry == theirs.end() || calls(kernel.unit)) continue;
      std::map<std::string, std::size_t> ours = scanner::counts(kernel.unit);
      std::erase_if(ours, [](const auto& n) {
        return n.first == "loop" || n.first == "float constant" || n.first == "call";
      });
      for (const std::string& line : count_differences(kernel.unit.name, ours, entry->second))
        integrity("E5233", kernel.unit.name, line);
    }
  }

  static bool calls(const scanner::Unit& unit) {
    return std::any_of(unit.constructs.begin(), unit.constructs.end(),
                       [](const scanner::Construct& c) { return c.what == scanner::What::call; });
  }

  // By the small checkers of certificate/, without a solver. Each says of its query that it has no solution;
  // that the query says what the obligation says is derived, or not, by check_states.
  void check_certificates() {
    const std::string folder = std::string(certificate_folder) + "/";
    for (auto at = bundle_.listing.files.lower_bound(folder);
         at != bundle_.listing.files.end() && at->first.starts_with(folder); ++at) {
      const std::string digest = at->first.substr(folder.size(), 64);
      std::string fault;
      if (bundle_.listing.files.contains(query_file(digest))) {
        fault = certificate::check(bundle_.read(query_file(digest)), bundle_.read(at->first));
      } else {
        const auto claimed = std::find_if(obligations_.begin(), obligations_.end(),
                                          [&](const Obligation& o) { return statement_digest(o) == digest; });
        ensure(claimed != obligations_.end(), "open_bundle let a certificate of no statement pass");
        // What it is about is not derived where the model is withheld.
        if (!options_.check_statement_certificate || !list_derived_) continue;
        fault = options_.check_statement_certificate(bundle_, *claimed, bundle_.read(at->first));
        checked_statements_.insert(digest);
      }
      if (!fault.empty()) integrity("E5240", at->first, "does not prove its query: " + fault);
      ++certificates_;
    }
  }

  void check_states() {
    recorded_ = obligations_;
    drift_ = other_versions();
    for (Obligation& o : obligations_) {
      if (establish(o) || result_.signed_by_pinned_keys) continue;
      ++result_.not_reestablished;
      if (o.outcome.state == State::proved) unfounded_.insert(o.id);
    }
  }

  // Whether this audit found the recorded state itself. What it found replaces what is recorded, unless a
  // pinned key stands for that and only this machine could not look.
  bool establish(Obligation& o) {
    if (!options_.reestablish) return false;
    std::optional<Obligation> found = options_.reestablish(bundle_, o);
    if (!found) return false;
    Obligation now = std::move(*found);
    found_.insert(o.id);
    ensure(now.id == o.id, "another obligation was established than the one that was asked for");
    check_well_formed(now);
    const std::string fault = evidence_fault(now);
    ensure(fault.empty(), now.id + ": " + fault);
    now.outcome = with_quorum(now, options_.policy);
    std::erase(now.outcome.discharged_by, by_certificate);
    std::erase(now.outcome.discharged_by, by_bijection);
    // Each certificate of the bundle was checked against the query of its name; these queries are ours.
    if (carries_certificate(now, [&](const std::string& digest) {
          return bundle_.listing.files.contains(certificate_file(digest)) &&
                 (checked_statements_.contains(digest) || bundle_.listing.files.contains(query_file(digest)));
        }))
      now.outcome.discharged_by.emplace_back(by_certificate);
    if (may_carry_bijection(now) && checked_statements_.contains(statement_digest(now)))
      now.outcome.discharged_by.emplace_back(by_bijection);
    const State recorded = o.outcome.state, state = now.outcome.state;
    const bool opposite = (recorded == State::proved && state == State::refuted) ||
                          (recorded == State::refuted && state == State::proved);
    const std::string message =
        fmt::format("the receipt says {}, this audit finds it {}", name(recorded), name(state));
    // What nobody signed contradicts the bundle it stands in. What a pinned key signed is a signer's error or
    // lie: the bundle is intact, its verdict is not to be relied on.
    const bool only_here = state == State::unrun && machine_reason(now.outcome.reason);
    if (opposite && !result_.signed_by_pinned_keys)
      integrity("E5232", o.id, message);
    else if (result_.signed_by_pinned_keys && state != recorded && recorded != State::unrun && !only_here)
      contradicted_.push_back({"E5236", o.id, message});
    else if (state == recorded && !only_here)
      compare_evidence(o, now);
    if (!only_here || !result_.signed_by_pinned_keys) o = now;
    return state == recorded || (recorded == State::unrun && state == State::proved);
  }

  // What stands beside a state that holds: who found it, under which assumptions and scope, by which queries.
  // Where a solver had a part, another version of anything may find it otherwise; then it is only said.
  void compare_evidence(const Obligation& recorded, const Obligation& now) {
    const std::string member = evidence_difference(recorded, now);
    if (member.empty()) return;
    const bool by_machine = !reproducible(recorded.outcome) || !reproducible(now.outcome);
    const bool asked = !recorded.outcome.queries.empty() || !now.outcome.queries.empty();
    if (by_machine || (asked && drift_)) {
      if (other_evidence_++ == 0) first_other_evidence_ = fmt::format("{} ({})", recorded.id, member);
      return;
    }
    const std::string message = fmt::format("the state holds, and its recorded {} does not", member);
    if (result_.signed_by_pinned_keys)
      contradicted_.push_back({"E5236", recorded.id, message});
    else
      integrity("E5243", recorded.id, message);
  }

  // A reason that says something about this audit and nothing about the obligation.
  static bool machine_reason(Reason reason) {
    return reason == Reason::wall_limit || reason == Reason::memory_limit ||
           reason == Reason::solver_missing || reason == Reason::solver_crash ||
           reason == Reason::tool_missing || reason == Reason::interrupted || reason == Reason::not_scheduled;
  }

  GateContext context() const {
    GateContext out;
    for (const Assumption& a : bundle_.receipt->identities.assumptions) out.assumptions.push_back(a.id);
    out.default_boxes = bundle_.receipt->identities.default_boxes;
    for (const auto& [role, path] : bundle_.receipt->identities.roles)
      if (const std::optional<std::string> digest = bundle_.role_digest(role)) out.digests[role] = *digest;
    out.digests["artifact"] = bundle_.artifact_digest();
    out.now = options_.now;
    out.baseline = options_.baseline;
    out.waivers = options_.waivers;
    // Where keys are pinned, an unsigned time is nobody's word.
    const bool believed = !pinned_ || !bundle_.observed_by.empty();
    if (bundle_.observations && believed) {
      try {
        out.finished = seconds_of_utc(bundle_.observations->finished);
      } catch (const UserError&) {
        out.finished =
            std::nullopt;  // an unreadable time is an unknown time: E5317 where a policy asks for it
      }
    }
    return out;
  }

  void judge() {
    Report& report = result_.report;
    report.query_folder = query_folder;
    const std::string folder = options_.replay_folder.empty() ? report.subject : options_.replay_folder;
    report.replay = [folder](const Obligation& o) { return replay_command(folder, o); };
    report.all_rows = report_command(folder);
    report.findings = bundle_.findings;
    result_.exit_code = bundle_.findings.empty() ? exit_met : exit_integrity;
    if (!bundle_.receipt) {
      report.verdict = broken();
      report.exit_code = result_.exit_code = exit_integrity;
      return;
    }
    describe(bundle_.receipt->identities, report);
    GateResult gate = apply_policy(obligations_, options_.policy, context());
    result_.exit_code = worse_exit(result_.exit_code, gate.exit_code);
    report.obligations = std::move(gate.obligations);
    if (options_.policy.established)
      for (Obligation& o : report.obligations)
        if (unfounded_.contains(o.id) ||
            (!bundle_.findings.empty() && !found_.contains(o.id) && o.outcome.state == State::proved))
          o.outcome = stale(o.outcome);
    report.waived = std::move(gate.waived);
    report.findings.insert(report.findings.end(), gate.violations.begin(), gate.violations.end());
    for (const Finding& finding : contradicted_) {
      report.findings.push_back(finding);
      result_.exit_code = worse_exit(result_.exit_code, exit_refuted);
    }
    if (bundle_.findings.empty()) note_states();
    if (bundle_.findings.empty()) note_certificates();
    note_signatures();
    check_context();
    check_versions();
    report.verdict = bundle_.findings.empty() ? sentence() : broken();
    report.exit_code = result_.exit_code;
  }

  // The queries stay, so that the row's replay command has something to ask.
  static Outcome stale(const Outcome& recorded) {
    std::string by;
    for (const std::string& each : recorded.discharged_by) by += (by.empty() ? "" : ", ") + each;
    Outcome out = Outcome::unrun(
        Reason::stale, "the receipt says proved by " + by +
                           "; this audit did not find it, and no intact receipt of a pinned key says it");
    out.queries = recorded.queries;
    return out;
  }

  void undecided(const char* code, const std::string& where, const std::string& message) {
    result_.report.findings.push_back({code, where, message});
    result_.exit_code = worse_exit(result_.exit_code, exit_undecided);
  }

  void check_context() {
    for (const auto& [part, digest] : options_.context)
      if (bundle_.role_digest(part) != digest)
        undecided(
            "E5238", part,
            fmt::format("stale: the plan was elected under another {}; elect again under this one", part));
  }

  std::map<std::string, std::string> recorded_versions() const {
    const Identities& about = bundle_.receipt->identities;
    std::map<std::string, std::string> recorded{{"hallmark", about.tool_version}};
    for (const SolverIdentity& s : about.solvers)
      recorded[s.name] = s.version + (s.binary_sha256.empty() ? "" : " sha256:" + s.binary_sha256);
    if (const auto nvcc = about.settings.find("nvcc-version"); nvcc != about.settings.end()) {
      recorded["nvcc"] = nvcc->second;
      const auto digest = about.settings.find("nvcc-sha256");
      if (digest != about.settings.end() && is_sha256(digest->second))
        recorded["nvcc"] += " sha256:" + digest->second;
    }
    return recorded;
  }

  bool other_versions() const {
    const std::map<std::string, std::string> recorded = recorded_versions();
    return std::any_of(options_.versions.begin(), options_.versions.end(), [&](const auto& here) {
      const auto there = recorded.find(here.first);
      return there == recorded.end() || there->second != here.second;
    });
  }

  void check_versions() {
    const std::map<std::string, std::string> recorded = recorded_versions();
    for (const auto& [tool, here] : options_.versions) {
      const auto there = recorded.find(tool);
      const std::string before = there == recorded.end() ? "none" : there->second;
      if (before != here) other_version(tool, before, here);
    }
    check_build();
  }

  // Every build of a version behaves alike, so that what another one wrote is compared all the same.
  void check_build() {
    if (options_.build.empty()) return;
    const std::string& there = bundle_.receipt->identities.tool_sha256;
    const std::string here = "sha256:" + options_.build, before = there.empty() ? "none" : "sha256:" + there;
    if (before != here) other_version("build of hallmark", before, here);
  }

  void other_version(const std::string& of, const std::string& before, const std::string& here) {
    const std::string message = fmt::format("the receipt was made with {}, here is {}", before, here);
    if (options_.strict)
      undecided("E5237", of, message);
    else
      result_.report.other_versions.push_back(fmt::format("{}: {}", of, message));
  }

  void note_states() {
    Report& report = result_.report;
    const std::size_t open = result_.not_reestablished;
    if (open > 0) report.notes.push_back(fmt::format("states not re-established: {}", open));
    if (other_evidence_ > 0)
      report.notes.push_back(fmt::format(
          "found otherwise than the receipt says, in the same state: {}, first {}; the rows say how",
          other_evidence_, first_other_evidence_));
    if (!options_.policy.established) {
      report.notes.push_back("the policy believes the recorded states: nothing was asked again");
      return;
    }
    if (!list_derived_ && !result_.signed_by_pinned_keys)
      undecided("E5234", receipt_file, "the list of obligations was not derived again: " + list_problem_);
    if (open > 0)
      undecided(
          "E5235", receipt_file,
          fmt::format("{} of {} states are neither established in this audit nor signed by a pinned key",
                      open, obligations_.size()));
  }

  void note_certificates() {
    if (certificates_ == 0) return;
    std::size_t certified[2] = {}, proofs[2] = {}, matched = 0, rules = 0;
    for (const Obligation& o : obligations_) {
      const auto& by = o.outcome.discharged_by;
      const std::size_t kind = summarise_answers(o.outcome).has_goals ? 0 : 1;
      certified[kind] += std::find(by.begin(), by.end(), by_certificate) != by.end() ? 1 : 0;
      proofs[kind] += o.outcome.state == State::proved ? 1 : 0;
      matched += std::find(by.begin(), by.end(), by_bijection) != by.end() ? 1 : 0;
      rules += may_carry_bijection(o) ? 1 : 0;
    }
    result_.report.notes.push_back(
        fmt::format("certificates checked without a solver: {}; {} of {} proofs by solvers have one for each "
                    "goal, {} of {} "
                    "others have one",
                    certificates_, certified[0], proofs[0], certified[1], proofs[1]));
    if (rules > 0)
      result_.report.notes.push_back(
          fmt::format("sums matched by maps that were checked without a solver: {} of {} rules and rewrite "
                      "steps that solvers proved",
                      matched, rules));
  }

  void note_signatures() {
    if (pinned_ && !result_.signed_by_pinned_keys && bundle_.findings.empty())
      undecided("E5320", receipt_file,
                fmt::format("{} of the pinned keys signed it, {} {} wanted", bundle_.signed_by.size(),
                            wanted_signatures_, wanted_signatures_ == 1 ? "is" : "are"));
    for (const std::string& id : bundle_.signed_by)
      result_.report.notes.push_back("signed by pinned key " + id);
    if (bundle_.unknown_signatures > 0)
      result_.report.notes.push_back(fmt::format(
          "signatures by keys that were not pinned: {}; they count for nothing", bundle_.unknown_signatures));
    if (!bundle_.receipt->reproducible)
      result_.report.notes.push_back(
          "not reproducible: a clock, a memory limit or a crash had a part in an outcome");
  }

  std::string sentence() const {
    // What this audit refuted, or where the solvers contradict each other, comes before what is only
    // recorded.
    const std::vector<Obligation>& rows = result_.report.obligations;
    const bool alarm = std::any_of(rows.begin(), rows.end(), [](const Obligation& o) {
      return o.outcome.state == State::refuted || o.outcome.reason == Reason::disagreement;
    });
    if (result_.not_reestablished == 0 || !options_.policy.established || alarm)
      return program_verdict(result_.report.obligations, bundle_.receipt->identities);
    const std::string verdict = program_verdict(recorded_, bundle_.receipt->identities);
    return fmt::format(
        "Not established: {} of {} states are only what an unsigned receipt says. If they hold: {}",
        result_.not_reestablished, obligations_.size(), verdict);
  }

  std::string broken() const {
    const Finding& first = bundle_.findings.front();
    return fmt::format(
        "Integrity failure: {} finding{}, first {}: {} [{}]. Nothing in this bundle can be relied on.",
        bundle_.findings.size(), bundle_.findings.size() == 1 ? "" : "s", first.where, first.message,
        first.code);
  }

  const AuditOptions& options_;
  OpenBundle bundle_;
  AuditResult result_;
  bool pinned_ = false;  // somebody's signature is asked for
  std::uint64_t wanted_signatures_ = 1;
  std::vector<Obligation> obligations_;  // what this audit found, and what is recorded where it did not look
  std::vector<Obligation> recorded_;
  std::set<std::string> found_;      // what this audit looked at itself
  std::set<std::string> unfounded_;  // recorded as proved, neither found nor signed
  bool drift_ = false;               // some tool is another one than the receipt names
  std::size_t other_evidence_ = 0;
  std::string first_other_evidence_;
  std::optional<Scan> scan_;
  std::vector<Finding> contradicted_;
  bool list_derived_ = false;
  std::size_t certificates_ = 0;
  std::set<std::string> checked_statements_;  // digests of statements whose certificates were checked
  std::string list_problem_;
};

}  // namespace

AuditResult audit(const std::string& folder, const AuditOptions& options) {
  return Auditor(folder, options).run();
}

}  // namespace hallmark::bundle
