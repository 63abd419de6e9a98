#include "pipeline/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/sha256.h"
#include "pipeline/assumptions.h"
#include "pipeline/certificates.h"
#include "pipeline/counts.h"
#include "pipeline/package.h"
#include "rules/prove_rule.h"
#include "scanner/scanner.h"

namespace hallmark::pipeline {
namespace {

// The part of the list that a sample asks again: the obligations whose digest under the seed is smallest, so
// that anybody can draw the same sample and nobody can guess it before the seed is chosen.
std::set<std::string> sampled(const std::vector<Obligation>& list, double part, std::uint64_t seed) {
  std::vector<std::pair<std::string, std::string>> order;
  for (const Obligation& o : list) order.emplace_back(sha256_hex(fmt::format("{} {}", seed, o.id)), o.id);
  std::sort(order.begin(), order.end());
  const std::size_t wanted =
      std::max<std::size_t>(1, static_cast<std::size_t>(part * static_cast<double>(order.size()) + 0.999999));
  order.resize(std::min(order.size(), wanted));
  std::set<std::string> out;
  for (const auto& [digest, id] : order) out.insert(id);
  return out;
}

// Everything is derived once, when the audit first asks, and shared by its questions.
class Again {
 public:
  Again(const AuditRequest& request, const Say& say)
      : request_(request), say_(say), portfolio_(portfolio_options(request.effort)) {}

  std::vector<Obligation> list(const bundle::OpenBundle& bundle) {
    Restored restored = restore_all(reader_of(bundle, request_.model));
    for (const auto& [path, bytes] : restored.files) files_[path] = sha256_hex(bytes);
    evidence_ = restored.evidence;
    texts_ = std::make_unique<ArtifactTexts>(evidence_.cuda, evidence_.ptx);
    list_ = list_obligations(evidence_, *texts_);
    // After the list: its statements are not to depend on what else was computed.
    derive_stages(bundle.receipt->identities, restored);
    if (!request_.contract.empty()) {
      // Completed with the same defaults, so that a contract that says less compares as what it means.
      const contract::Contract wanted =
          contract::complete(contract::load(request_.contract), evidence_.authored);
      contract_differs_ = contract::print(wanted) != contract::print(evidence_.contract);
    }
    if (request_.sample) sample_ = sampled(list_, *request_.sample, request_.seed);
    return list_;
  }

  std::optional<Obligation> found(const bundle::OpenBundle& bundle, const Obligation& o) {
    if (!texts_) return std::nullopt;
    if (request_.offline) return without_solver(bundle, o);
    if (!sample_.empty() && !sample_.contains(o.id)) return std::nullopt;
    if (!discharged_) {
      DischargeOptions options;
      options.jobs = request_.effort.jobs;
      options.only = sample_;
      if (request_.effort.deadline)
        options.deadline = start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                        std::chrono::duration<double>(*request_.effort.deadline));
      discharge(
          list_, evidence_, *texts_, portfolio_,
          [&](const std::string& stage, std::size_t done, std::size_t total) {
            say_(fmt::format("[{}/{}] {}", done + 1, total, stage));
          },
          options);
      discharged_ = true;
      for (const Obligation& mine : list_) found_[mine.id] = mine;
    }
    return known(o);
  }

  // Steps that are replayed, interval bounds, constants and what the launch plan shows by its form need no
  // solver: they are established again even offline. What does not come out as it is recorded says nothing
  // here, because a part of it may want a solver after all.
  std::optional<Obligation> without_solver(const bundle::OpenBundle& bundle, const Obligation& o) {
    const auto needs_none = [](const Obligation& each) {
      return each.outcome.state != State::unrun && each.outcome.queries.empty() &&
             ((each.kind <= ObligationKind::tolerance && each.kind != ObligationKind::rule) ||
              each.kind == ObligationKind::launch || each.level == Level::plan);
    };
    if (!needs_none(o)) return std::nullopt;
    if (!discharged_) {
      discharged_ = true;
      DischargeOptions options;
      options.jobs = request_.effort.jobs;
      for (const Obligation& each : bundle.receipt->obligations)
        if (needs_none(each) && (sample_.empty() || sample_.contains(each.id))) options.only.insert(each.id);
      if (options.only.empty()) return std::nullopt;
      smt::PortfolioOptions none;
      for (smt::SolverProgram& program : none.wanted) program.program = "/nonexistent/" + program.name;
      smt::Portfolio nobody(none);
      std::vector<Obligation> list = list_;
      discharge(
          list, evidence_, *texts_, nobody, [](const std::string&, std::size_t, std::size_t) {}, options);
      for (const Obligation& mine : list)
        if (options.only.contains(mine.id) && mine.outcome.state != State::unrun) found_[mine.id] = mine;
    }
    return known(o);
  }

  // What the validator's own reader sees in each kernel's PTX.
  std::map<std::string, std::map<std::string, std::size_t>> counts() const {
    std::map<std::string, std::map<std::string, std::size_t>> out;
    if (!texts_) return out;
    for (const plan::PlannedLaunch& launch : evidence_.plan.launches)
      if (const KernelText text = texts_->find(launch.kernel, Level::ptx); text.kernel != nullptr)
        out[launch.kernel] = construct_counts(*text.kernel);
    return out;
  }

  std::map<std::string, std::string> versions() {
    std::map<std::string, std::string> out{{"hallmark", HALLMARK_VERSION}};
    for (const bundle::SolverIdentity& s : recorded_solvers(portfolio_, request_.effort.solvers))
      out[s.name] = s.version + (s.binary_sha256.empty() ? "" : " sha256:" + s.binary_sha256);
    const std::string nvcc = nvcc_version();
    out["nvcc"] = nvcc.empty() ? "missing" : nvcc + " sha256:" + nvcc_sha256();
    return out;
  }

  std::string check_boxes(const Obligation& o, const std::string& text) {
    if (!boxes_) boxes_ = std::make_unique<StatementCertificates>(evidence_);
    return boxes_->check(o, text);
  }
  const bundle::Identities& identities() const { return identities_; }
  const std::map<std::string, std::string>& files() const { return files_; }
  bool contract_differs() const { return contract_differs_; }

  std::string sample_note() const {
    return sample_.empty() ? ""
                           : fmt::format("asked again: a sample of {} of {} obligations, seed {}",
                                         sample_.size(), list_.size(), request_.seed);
  }

  // What the stages are not, or could not be looked at for.
  const std::vector<std::string>& origin_notes() const { return origin_notes_; }

  // The rules that the candidate space calls proved and that the elected route does without, so that they are
  // no obligation of the receipt: put to the solvers again, where those were asked at all.
  std::vector<bundle::Finding> check_rules_of_space() {
    std::vector<bundle::Finding> out;
    if (!space_ || !discharged_ || request_.offline || !sample_.empty()) return out;
    const auto recorded = recorded_states(*space_);
    std::size_t proved = 0, open = 0;
    for (const rules::RuleFamily& family : space_options(request_.corpus).library) {
      if (recorded(family) != State::proved) continue;
      if (found_.contains(rules::family_obligation(family).id)) continue;
      const Obligation o = rules::prove_family(family, portfolio_);
      proved += o.outcome.state == State::proved ? 1 : 0;
      open += o.outcome.state == State::unrun ? 1 : 0;
      if (o.outcome.state == State::refuted)
        out.push_back({"E5232", "2-candidates/space.json",
                       "the rule " + family.name + " is recorded as proved, this audit finds it refuted"});
    }
    if (proved + open > 0)
      origin_notes_.push_back(fmt::format(
          "rules of the candidate space that the elected route does without: {} of {} proved again", proved,
          proved + open + out.size()));
    return out;
  }

 private:
  // Every stage from what stands before it, and the receipt's words about that. Where this machine cannot
  // look, or the receipt says that nobody could, its words stay and the notes say so.
  void derive_stages(const bundle::Identities& recorded, const Restored& restored) {
    std::vector<Origin> origins = find_origins(restored.authored, restored.space, restored.selection,
                                               restored.lowered, request_.corpus, request_.compile);
    identities_ = identities_of(restored.authored, restored.evidence, restored.space.record, origins);
    // Other tables than ours are another version's; which ones a verdict rests on stands in its assumptions.
    const auto tables = recorded.settings.find(accuracy_tables);
    if (recorded.tool_version != HALLMARK_VERSION && tables != recorded.settings.end())
      identities_.settings[accuracy_tables] = tables->second;
    // The options are part of what this version does; the receipt's settings repeat what stands there.
    const Ptx& ptx = restored.lowered.ptx;
    if (recorded.tool_version == HALLMARK_VERSION && ptx.reason == Reason::none &&
        ptx.options != nvcc_options(architecture_of(restored.evidence.compute_capability)))
      files_["4-artifact/compiler.json"] = "";
    std::string same;
    for (Origin& origin : origins) {
      const auto theirs = recorded.settings.find(origin.setting);
      if (origin.setting == stage_of_candidates && origin.unknown.empty() && origin.differs.empty())
        space_ = restored.space;
      if (recorded.tool_version != HALLMARK_VERSION)
        origin.unknown = "the receipt was made by hallmark " + recorded.tool_version;
      const bool they_looked = theirs == recorded.settings.end() ||
                               !theirs->second.starts_with(unknown_origin) || !may_be_unknown(origin);
      if (theirs != recorded.settings.end() && (!origin.unknown.empty() || !they_looked))
        identities_.settings[origin.setting] = theirs->second;
      if (!origin.unknown.empty()) {
        origin_notes_.push_back(fmt::format("{}: {}", origin.setting, text(origin)));
      } else if (origin.differs.empty()) {
        same += (same.empty() ? "" : ", ") + origin.setting;
      } else {
        // What nvcc writes is not always the same to the byte: said, and no failure.
        if (origin.setting == stage_of_ptx && theirs != recorded.settings.end())
          identities_.settings[origin.setting] = theirs->second;
        origin_notes_.push_back(fmt::format("{}: {}; what it says is the word of whoever changed it",
                                            origin.setting, text(origin)));
        // Changed and not said to be: the file is named.
        if (they_looked && origin.setting != stage_of_ptx && theirs != recorded.settings.end() &&
            theirs->second != text(origin) && files_.contains(origin.differs))
          files_[origin.differs] = "";
      }
    }
    if (!same.empty()) origin_notes_.push_back("derived again, with the same bytes: " + same);
  }

  std::optional<Obligation> known(const Obligation& o) const {
    const auto mine = found_.find(o.id);
    return mine == found_.end() ? std::nullopt : std::optional(mine->second);
  }

  const AuditRequest& request_;
  const Say& say_;
  smt::Portfolio portfolio_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Evidence evidence_;
  std::unique_ptr<ArtifactTexts> texts_;
  std::vector<Obligation> list_;
  std::set<std::string> sample_;
  std::map<std::string, Obligation> found_;
  bundle::Identities identities_;
  std::map<std::string, std::string> files_;  // path in the stages -> SHA-256 of what is written there again
  std::vector<std::string> origin_notes_;
  std::optional<Space> space_;  // when it was derived again
  bool discharged_ = false, contract_differs_ = false;
  std::unique_ptr<StatementCertificates> boxes_;
};

}  // namespace

bundle::AuditResult audit_bundle(const std::string& folder, const AuditRequest& request, const Say& say) {
  Again again(request, say);
  bundle::AuditOptions options;
  options.policy = request.policy;
  options.pinned = request.pinned;
  options.now = request.now;
  options.context = request.context;
  options.strict = request.strict;
  options.versions = again.versions();
  options.derive_obligations = [&](const bundle::OpenBundle& bundle) { return again.list(bundle); };
  options.reestablish = [&](const bundle::OpenBundle& bundle, const Obligation& o) {
    return again.found(bundle, o);
  };
  options.derive_identities = [&](const bundle::OpenBundle& bundle) {
    bundle::Identities out = again.identities();
    add_named(out.assumptions, bundle.receipt->obligations);
    return out;
  };
  options.build = sha256_file("/proc/self/exe");
  options.check_rest = [&](const bundle::OpenBundle&) { return again.check_rules_of_space(); };
  options.derive_files = [&](const bundle::OpenBundle&) { return again.files(); };
  options.check_statement_certificate = [&](const bundle::OpenBundle&, const Obligation& o,
                                            const std::string& text) { return again.check_boxes(o, text); };
  options.ptx_counts = [&](const bundle::OpenBundle&) { return again.counts(); };
  if (!request.baseline.empty()) {
    const bundle::OpenBundle last = bundle::open_bundle(request.baseline);
    if (!last.receipt || !last.findings.empty())
      throw UserError("E5402", "the baseline does not check", {request.baseline});
    options.baseline.emplace();
    for (const Obligation& o : last.receipt->obligations) (*options.baseline)[o.id] = o.outcome.state;
  }
  if (!request.waivers.empty()) {
    std::vector<bundle::PublicKey> trusted = request.waiver_keys;
    trusted.insert(trusted.end(), request.policy.waiver_keys.begin(), request.policy.waiver_keys.end());
    if (trusted.empty()) {
      trusted = request.pinned;
      trusted.insert(trusted.end(), request.policy.keys.begin(), request.policy.keys.end());
    }
    options.waivers = bundle::load_waivers(request.waivers, trusted);
  }
  bundle::AuditResult out = bundle::audit(folder, options);
  if (again.contract_differs()) {
    out.report.findings.push_back(
        {"E5238", "contract",
         "stale: the plan was elected under another contract; elect again under this one"});
    out.exit_code = bundle::worse_exit(out.exit_code, bundle::exit_undecided);
    out.report.exit_code = out.exit_code;
  }
  for (const std::string& note : again.origin_notes()) out.report.notes.push_back(note);
  if (const std::string note = again.sample_note(); !note.empty()) out.report.notes.push_back(note);
  if (request.offline) out.report.notes.push_back("offline: no solver was asked");
  return out;
}

}  // namespace hallmark::pipeline
