#include "bundle/answers.h"

#include <algorithm>
#include <set>

#include "bundle/obligation_json.h"

namespace hallmark::bundle {
namespace {

bool says(const QueryRecord& query, const std::string& solver, std::string_view answer) {
  return std::any_of(query.answers.begin(), query.answers.end(),
                     [&](const SolverAnswer& a) { return a.solver == solver && a.answer == answer; });
}

bool has_answer(const QueryRecord& query, std::string_view answer) {
  return std::any_of(query.answers.begin(), query.answers.end(),
                     [&](const SolverAnswer& a) { return a.answer == answer; });
}

bool paired(const QueryRecord& query) {
  return query.purpose != "goal";
}

bool never_fails_a_paired_check(const Outcome& outcome, const std::string& solver) {
  return std::none_of(outcome.queries.begin(), outcome.queries.end(), [&](const QueryRecord& query) {
    return paired(query) && says(query, solver, "unsat");
  });
}

// `sat` to the queries of this purpose beside the goal at `goal`, or to any one of the obligation if none
// stands there.
bool passes(const std::vector<QueryRecord>& queries, std::size_t goal, const std::string& solver,
            std::string_view purpose) {
  bool beside = false;
  for (std::size_t i = goal + 1; i < queries.size() && paired(queries[i]); ++i) {
    if (queries[i].purpose != purpose) continue;
    if (says(queries[i], solver, "sat")) return true;
    beside = true;
  }
  return !beside && std::any_of(queries.begin(), queries.end(), [&](const QueryRecord& query) {
    return query.purpose == purpose && says(query, solver, "sat");
  });
}

}  // namespace

AnswerSummary summarise_answers(const Outcome& outcome) {
  const std::vector<QueryRecord>& queries = outcome.queries;
  AnswerSummary out;
  std::set<std::string> solvers, counting;
  for (const QueryRecord& query : queries)
    for (const SolverAnswer& answer : query.answers) solvers.insert(answer.solver);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    if (paired(queries[i])) continue;
    std::size_t here = 0;
    for (const std::string& solver : solvers)
      if (says(queries[i], solver, "unsat") && never_fails_a_paired_check(outcome, solver) &&
          passes(queries, i, solver, "hypotheses") && passes(queries, i, solver, "mutated-goal")) {
        counting.insert(solver);
        ++here;
      }
    out.fewest = out.has_goals ? std::min(out.fewest, here) : here;
    out.has_goals = true;
    out.disagreement = out.disagreement || (has_answer(queries[i], "sat") && has_answer(queries[i], "unsat"));
    out.solver_missing = out.solver_missing || has_answer(queries[i], name(Reason::solver_missing));
  }
  out.solvers.assign(solvers.begin(), solvers.end());
  out.counting.assign(counting.begin(), counting.end());
  return out;
}

std::string evidence_fault(const Obligation& obligation) {
  const Outcome& outcome = obligation.outcome;
  for (const QueryRecord& query : outcome.queries) {
    if (query.purpose != "goal" && query.purpose != "hypotheses" && query.purpose != "mutated-goal")
      return "query with the unknown purpose '" + query.purpose + "'";
    std::set<std::string> seen;
    for (const SolverAnswer& answer : query.answers)
      if (!seen.insert(answer.solver).second) return "two answers of " + answer.solver + " to one query";
  }
  if (outcome.state != State::proved) return {};
  const AnswerSummary summary = summarise_answers(outcome);
  if (summary.disagreement) return "proved although the solvers disagree";
  if (summary.has_goals && summary.fewest == 0)
    return "proved, but some goal has no solver that answered unsat to it and passed the paired checks";
  for (const std::string& by : outcome.discharged_by) {
    const bool solver =
        by == "z3" || by == "cvc5" ||
        std::find(summary.solvers.begin(), summary.solvers.end(), by) != summary.solvers.end();
    if (solver && !summary.has_goals) return "proved by " + by + " without a recorded goal";
    if (solver && std::find(summary.counting.begin(), summary.counting.end(), by) == summary.counting.end())
      return "proved by " + by + ", which did not pass the paired checks";
  }
  return {};
}

bool fully_certified(const Outcome& outcome, const std::function<bool(const std::string&)>& has) {
  bool any = false;
  for (const QueryRecord& query : outcome.queries) {
    if (query.purpose != "goal") continue;
    any = true;
    if (!has(query.sha256)) return false;
  }
  return any && outcome.state == State::proved;
}

bool carries_certificate(const Obligation& o, const std::function<bool(const std::string&)>& has) {
  const bool goals = std::any_of(o.outcome.queries.begin(), o.outcome.queries.end(),
                                 [](const QueryRecord& query) { return query.purpose == "goal"; });
  if (goals) return fully_certified(o.outcome, has);
  return o.outcome.state == State::proved && o.outcome.queries.empty() && has(statement_digest(o));
}

bool may_carry_bijection(const Obligation& o) {
  const bool goals = std::any_of(o.outcome.queries.begin(), o.outcome.queries.end(),
                                 [](const QueryRecord& query) { return query.purpose == "goal"; });
  return goals && o.outcome.state == State::proved &&
         (o.kind == ObligationKind::rule || o.kind == ObligationKind::rewrite_step);
}

std::string evidence_difference(const Obligation& a, const Obligation& b) {
  const auto bare = [](Outcome o) {
    for (QueryRecord& query : o.queries)
      for (SolverAnswer& answer : query.answers) answer.raw.clear();
    return o;
  };
  const Outcome x = bare(a.outcome), y = bare(b.outcome);
  if (a.scope != b.scope) return "scope";
  if (a.strength != b.strength) return "strength";
  if (a.location != b.location) return "location";
  if (x.reason != y.reason) return "reason";
  if (x.discharged_by != y.discharged_by) return "discharged_by";
  if (x.assumptions != y.assumptions) return "assumptions";
  if (x.queries != y.queries) return "queries";
  if (x.witness != y.witness) return "witness";
  // Where a solver answered, the sentence may hold its words.
  if (x.queries.empty() && x.detail != y.detail) return "detail";
  return {};
}

bool rests_on_one_solver(const Obligation& obligation) {
  const AnswerSummary summary = summarise_answers(obligation.outcome);
  return obligation.outcome.state == State::proved && summary.has_goals && summary.fewest == 1;
}

Outcome demand_both_solvers(const Obligation& obligation) {
  if (!rests_on_one_solver(obligation)) return obligation.outcome;
  const AnswerSummary summary = summarise_answers(obligation.outcome);
  Outcome out = obligation.outcome;
  out.state = State::unrun;
  out.reason =
      summary.solver_missing || summary.solvers.size() < 2 ? Reason::solver_missing : Reason::single_solver;
  std::string who;
  for (const std::string& solver : summary.counting) who += (who.empty() ? "" : ", ") + solver;
  out.detail = "proved by " + who + " alone; the policy wants both solvers" +
               (out.detail.empty() ? "" : ". " + out.detail);
  return out;
}

bool reproducible(const Outcome& outcome) {
  const auto depends_on_machine = [](std::string_view reason) {
    return reason == name(Reason::wall_limit) || reason == name(Reason::memory_limit) ||
           reason == name(Reason::solver_crash) || reason == name(Reason::interrupted);
  };
  if (outcome.state == State::unrun && depends_on_machine(name(outcome.reason))) return false;
  for (const QueryRecord& query : outcome.queries)
    for (const SolverAnswer& answer : query.answers)
      if (depends_on_machine(answer.answer)) return false;
  return true;
}

}  // namespace hallmark::bundle
