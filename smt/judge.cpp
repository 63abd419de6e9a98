#include "smt/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"

namespace hallmark::smt {
namespace {

const SolverAnswer* answer_of(const QueryRecord& record, const std::string& solver) {
  for (const SolverAnswer& a : record.answers)
    if (a.solver == solver) return &a;
  return nullptr;
}

Reason reason_in(const SolverAnswer& answer) {
  if (answer.answer == "unknown") return Reason::gave_up;
  return reason_of(answer.answer).value_or(Reason::solver_crash);
}

enum class Status { proves, vacuous, refutes, undecided };

struct Opinion {
  std::string solver;
  Status status = Status::undecided;
  Reason reason = Reason::not_scheduled;
  std::string detail;
};

using Group = std::vector<const QueryRecord*>;

// What a solver says to the checks of one purpose: whether some answer is sat, some unsat, and why not.
struct Checks {
  bool sat = false, unsat = false;
  const SolverAnswer* failed = nullptr;
};

Checks checks_of(const Group& group, const std::string& purpose, const std::string& solver) {
  Checks out;
  for (const QueryRecord* record : group) {
    if (record->purpose != purpose) continue;
    const SolverAnswer* a = answer_of(*record, solver);
    if (a == nullptr) continue;
    out.sat |= a->answer == "sat";
    out.unsat |= a->answer == "unsat";
    if (a->answer != "sat" && a->answer != "unsat") out.failed = a;
  }
  return out;
}

Opinion opinion_of(const Group& group, const std::string& solver) {
  Opinion out{solver, Status::undecided, Reason::not_scheduled, solver + " was not asked"};
  const auto undecided = [&](Reason reason, std::string detail) {
    out.reason = reason;
    out.detail = solver + ": " + std::move(detail);
    return out;
  };
  const SolverAnswer* goal = answer_of(*group.front(), solver);
  if (goal == nullptr) return out;
  if (goal->answer == "sat") {
    out.status = Status::refutes;
    out.reason = Reason::witness_not_replayed;
    out.detail = solver + " found an assignment that meets the hypotheses and not the goal";
    return out;
  }
  const Checks hypotheses = checks_of(group, "hypotheses", solver);
  if (hypotheses.unsat && !hypotheses.sat && goal->answer == "unsat") {
    out.status = Status::vacuous;
    out.detail = solver + " finds the hypotheses contradictory";
    return out;
  }
  if (goal->answer != "unsat") return undecided(reason_in(*goal), goal->answer + " " + goal->raw);
  const Checks mutated = checks_of(group, "mutated-goal", solver);
  if (hypotheses.sat && mutated.sat) {
    out.status = Status::proves;
    out.reason = Reason::none;
    return out;
  }
  const Checks& open = hypotheses.sat ? mutated : hypotheses;
  const std::string which = hypotheses.sat ? "mutated goal" : "hypotheses";
  if (open.failed != nullptr)
    return undecided(reason_in(*open.failed),
                     fmt::format("proves the goal, but its check of the {} ended in {} {}", which,
                                 open.failed->answer, open.failed->raw));
  return undecided(Reason::gave_up, fmt::format("proves the goal, but no {} was found satisfiable", which));
}

// A text to which one solver says sat and another unsat.
bool contradictory(const QueryRecord& record) {
  bool sat = false, unsat = false;
  for (const SolverAnswer& a : record.answers) {
    sat |= a.answer == "sat";
    unsat |= a.answer == "unsat";
  }
  return sat && unsat;
}

// The reason that says most about what would help, when nobody proved.
int distance(Reason reason) {
  static const Reason order[] = {Reason::resource_limit, Reason::wall_limit,   Reason::memory_limit,
                                 Reason::gave_up,        Reason::solver_crash, Reason::interrupted,
                                 Reason::solver_missing, Reason::not_scheduled};
  return static_cast<int>(std::find(std::begin(order), std::end(order), reason) - std::begin(order));
}

struct GroupVerdict {
  std::vector<std::string> provers;
  std::optional<std::pair<Reason, std::string>> failure;
};

GroupVerdict judge_group(const Group& group, const Quorum& quorum) {
  GroupVerdict out;
  std::vector<Opinion> opinions;
  for (const std::string& solver : quorum.wanted) opinions.push_back(opinion_of(group, solver));
  const auto first = [&](auto holds) -> const Opinion* {
    const auto found = std::find_if(opinions.begin(), opinions.end(), holds);
    return found == opinions.end() ? nullptr : &*found;
  };
  const auto with = [&](Status s) { return first([s](const Opinion& o) { return o.status == s; }); };
  const auto missing = first([](const Opinion& o) { return o.reason == Reason::solver_missing; });
  for (const Opinion& o : opinions)
    if (o.status == Status::proves) out.provers.push_back(o.solver);
  const auto fail = [&](Reason reason, const std::string& detail) {
    out.failure = {reason, detail};
    return out;
  };

  for (const QueryRecord* record : group)
    if (contradictory(*record))
      return fail(Reason::disagreement, fmt::format("one solver says sat and the other unsat to {} ({})",
                                                    record->sha256, record->purpose));
  if (const Opinion* o = with(Status::vacuous)) return fail(Reason::vacuous, o->detail);
  if (const Opinion* o = with(Status::refutes)) return fail(Reason::witness_not_replayed, o->detail);
  const bool all = out.provers.size() == opinions.size() && !opinions.empty();
  if (all || (quorum.rule == Rule::one_suffices && !out.provers.empty())) return out;
  if (missing != nullptr && quorum.rule == Rule::both) return fail(Reason::solver_missing, missing->detail);
  const Opinion* nearest = nullptr;
  for (const Opinion& o : opinions)
    if (o.status == Status::undecided &&
        (nearest == nullptr || distance(o.reason) < distance(nearest->reason)))
      nearest = &o;
  if (nearest == nullptr) return fail(Reason::not_scheduled, "no solver is wanted");
  if (out.provers.empty() || nearest->reason == Reason::solver_crash ||
      nearest->reason == Reason::interrupted || nearest->reason == Reason::not_scheduled)
    return fail(nearest->reason, nearest->detail);
  return fail(Reason::single_solver,
              fmt::format("proved by {} alone; {}", out.provers.front(), nearest->detail));
}

}  // namespace

Rule default_rule(ObligationKind kind) {
  return kind == ObligationKind::rule || kind == ObligationKind::rewrite_step ? Rule::one_suffices
                                                                              : Rule::both;
}

Outcome judge(const std::vector<QueryRecord>& queries, const Quorum& quorum) {
  Outcome out = Outcome::unrun(Reason::not_scheduled, "no query was put");
  out.queries = queries;
  std::vector<Group> groups;
  for (const QueryRecord& record : queries) {
    if (record.purpose == "goal") groups.emplace_back();
    ensure(!groups.empty(), "a group of queries does not begin with its goal");
    groups.back().push_back(&record);
  }
  if (groups.empty()) return out;
  std::map<std::string, std::size_t> proved_by;
  for (const Group& group : groups) {
    const GroupVerdict verdict = judge_group(group, quorum);
    if (verdict.failure) {
      out.reason = verdict.failure->first;
      out.detail = verdict.failure->second;
      return out;
    }
    for (const std::string& solver : verdict.provers) ++proved_by[solver];
  }
  out.state = State::proved;
  out.reason = Reason::none;
  out.detail.clear();
  const bool same_solver = std::any_of(proved_by.begin(), proved_by.end(),
                                       [&](const auto& p) { return p.second == groups.size(); });
  // Different groups may rest on different solvers where one suffices; then all of them are named.
  for (const std::string& solver : quorum.wanted) {
    const auto found = proved_by.find(solver);
    if (found != proved_by.end() && (!same_solver || found->second == groups.size()))
      out.discharged_by.push_back(solver);
  }
  return out;
}

std::vector<QueryRecord> withdraw(std::vector<QueryRecord> queries, const std::set<std::string>& excluded) {
  for (QueryRecord& record : queries)
    for (SolverAnswer& a : record.answers)
      if (excluded.contains(a.solver) && a.answer != name(Reason::solver_crash))
        a = {a.solver, std::string(name(Reason::solver_crash)),
             "excluded from this run for a false answer; it had said " + a.answer};
  return queries;
}

}  // namespace hallmark::smt
