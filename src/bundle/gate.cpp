#include "bundle/gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/sha256.h"
#include "bundle/answers.h"
#include "bundle/receipt.h"
#include "bundle/verdict.h"

namespace hallmark::bundle {
namespace {

int rank(int code) {
  return code == exit_integrity ? 3 : code == exit_refuted ? 2 : code == exit_undecided ? 1 : 0;
}

bool local_bound(const Obligation& o) {
  return o.level == Level::plan && (o.kind == ObligationKind::tolerance || o.kind == ObligationKind::range);
}

class Judge {
 public:
  Judge(const Policy& policy, GateResult& result) : policy_(policy), result_(result) {
    result_.exit_code = exit_met;
  }

  void violation(const char* code, const std::string& where, const std::string& message, int exit_code) {
    result_.violations.push_back({code, where, message});
    result_.exit_code = worse_exit(result_.exit_code, exit_code);
  }

  void obligation(const Obligation& o, const GateContext& context) {
    const Outcome& outcome = o.outcome;
    if (outcome.state == State::proved) return;
    if (outcome.state == State::refuted) {
      const std::string witness = outcome.witness ? outcome.witness->summary : "no witness";
      return violation("E5310", o.id, "refuted: " + witness, local_bound(o) ? exit_undecided : exit_refuted);
    }
    if (outcome.reason == Reason::disagreement)
      return violation("E5311", o.id, "the solvers disagree", exit_refuted);
    const bool required = std::any_of(policy_.require.begin(), policy_.require.end(),
                                      [&](const Selection& s) { return s.matches(o); });
    const bool tolerated =
        std::any_of(policy_.tolerate.begin(), policy_.tolerate.end(),
                    [&](const Tolerance& t) { return t.reason == outcome.reason && t.what.matches(o); });
    if (waived(o, context)) return;
    if (context.baseline) compare(o, *context.baseline);
    if (required && !tolerated)
      violation("E5312", o.id,
                fmt::format("unrun: {}, which the policy does not tolerate", name(outcome.reason)),
                exit_undecided);
  }

  bool waived(const Obligation& o, const GateContext& context) {
    for (const Waiver& w : context.waivers) {
      if (w.obligation != o.id || w.reason != o.outcome.reason) continue;
      if (!w.statement.empty() && w.statement != sha256_hex(o.statement)) continue;
      used_.insert(w.obligation);
      if (!context.now || *context.now >= w.expires) {
        violation("E5319", o.id, "the waiver of " + w.author + " expired on " + w.expires_text,
                  exit_undecided);
        return false;
      }
      result_.waived[o.id] = fmt::format("{} until {}: {}", w.author, w.expires_text, w.why);
      return true;
    }
    return false;
  }

  void compare(const Obligation& o, const std::map<std::string, State>& baseline) {
    const auto before = baseline.find(o.id);
    if (before == baseline.end())
      violation("E5239", o.id,
                fmt::format("unrun: {}, and the baseline does not list it", name(o.outcome.reason)),
                exit_undecided);
    else if (before->second == State::proved)
      violation("E5239", o.id, fmt::format("unrun: {}, and proved in the baseline", name(o.outcome.reason)),
                exit_undecided);
  }

  void unused_waivers(const GateContext& context) {
    for (const Waiver& w : context.waivers)
      if (!used_.contains(w.obligation))
        violation("E5319", w.obligation, "the waiver of " + w.author + " applies to nothing that is open",
                  exit_undecided);
  }

  void context(const GateContext& context) {
    unused_waivers(context);
    if (policy_.allowed_assumptions)
      for (const std::string& assumption : context.assumptions)
        if (!allowed(assumption))
          violation("E5314", assumption, "the policy does not allow this assumption", exit_undecided);
    if (!policy_.default_boxes_allowed)
      for (const std::string& box : context.default_boxes)
        violation("E5315", box, "nobody declared this box, and the policy allows no default", exit_undecided);
    for (const auto& [role, digest] : policy_.expected_digests) {
      const auto found = context.digests.find(role);
      if (found == context.digests.end() || found->second != digest)
        violation("E5316", role,
                  fmt::format("expected the digest {}, found {}", digest,
                              found == context.digests.end() ? "none" : found->second),
                  exit_undecided);
    }
    if (policy_.max_age_days) age(context);
  }

  bool allowed(const std::string& assumption) const {
    const std::vector<std::string>& list = *policy_.allowed_assumptions;
    return std::find(list.begin(), list.end(), assumption) != list.end();
  }

 private:
  void age(const GateContext& context) {
    constexpr std::int64_t day = 86'400;
    if (!context.finished || !context.now)
      return violation("E5317", "observations", "the time of the run is not known", exit_undecided);
    const std::int64_t age = *context.now - *context.finished;
    // A time in the future is no sign of freshness; one hour is allowed for clocks that differ.
    if (age < -3600) violation("E5317", "observations", "the run ended in the future", exit_undecided);
    if (age > static_cast<std::int64_t>(std::min<std::uint64_t>(*policy_.max_age_days, 1'000'000)) * day)
      violation("E5317", "observations",
                fmt::format("the run ended more than {} days ago", *policy_.max_age_days), exit_undecided);
  }

  const Policy& policy_;
  GateResult& result_;
  std::set<std::string> used_;
};

}  // namespace

int worse_exit(int a, int b) {
  return rank(a) >= rank(b) ? a : b;
}

Outcome with_quorum(const Obligation& o, const Policy& policy) {
  return policy.wants_both_solvers(o.kind) ? demand_both_solvers(o) : o.outcome;
}

Report checked_report(std::string subject, std::vector<Obligation> obligations, const std::string& singular,
                      const std::string& plural, std::function<std::string(const Obligation&)> replay,
                      const Policy& policy) {
  sort_obligations(obligations);
  for (const Obligation& o : obligations) {
    check_well_formed(o);
    const std::string fault = evidence_fault(o);
    ensure(fault.empty(), o.id + ": " + fault);
  }
  GateResult gate = apply_policy(obligations, policy);
  Report out;
  out.subject = std::move(subject);
  out.verdict = plain_verdict(gate.obligations, singular, plural);
  out.obligations = std::move(gate.obligations);
  // A row that is not proved speaks for itself; only violations that no row shows are findings here.
  for (Finding& violation : gate.violations)
    if (violation.code != "E5310" && violation.code != "E5311" && violation.code != "E5312")
      out.findings.push_back(std::move(violation));
  out.exit_code = gate.exit_code;
  out.replay = std::move(replay);
  return out;
}

GateResult apply_policy(const std::vector<Obligation>& given, const Policy& policy,
                        const GateContext& context) {
  GateResult out;
  Judge judge(policy, out);
  if (given.empty())
    judge.violation("E5318", "", "nothing to prove: the list of obligations is empty", exit_undecided);
  for (Obligation o : given) {
    o.outcome = with_quorum(o, policy);
    judge.obligation(o, context);
    if (policy.allowed_assumptions && o.outcome.state == State::proved)
      for (const std::string& assumption : o.outcome.assumptions)
        if (!judge.allowed(assumption))
          judge.violation("E5314", o.id,
                          "proved under the assumption '" + assumption + "', which the policy does not allow",
                          exit_undecided);
    out.obligations.push_back(std::move(o));
  }
  const std::size_t unrun = count(out.obligations).unrun - out.waived.size();
  if (policy.max_unrun && unrun > *policy.max_unrun)
    judge.violation("E5313", "",
                    fmt::format("{} obligations are unrun, the policy allows {}", unrun, *policy.max_unrun),
                    exit_undecided);
  judge.context(context);
  return out;
}

}  // namespace hallmark::bundle
