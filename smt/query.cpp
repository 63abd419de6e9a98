#include "smt/query.h"

#include <fmt/format.h>

#include "base/error.h"

namespace hallmark::smt {
namespace {

std::vector<Hypothesis> with(std::vector<Hypothesis> all, const std::vector<Term>& example) {
  for (const Term t : example) all.push_back({"example", t});
  return all;
}

}  // namespace

std::string_view name(Purpose purpose) {
  switch (purpose) {
    case Purpose::goal:
      return "goal";
    case Purpose::hypotheses:
      return "hypotheses";
    case Purpose::mutated_goal:
      return "mutated-goal";
  }
  throw InternalError("a query without a purpose");
}

QueryText goal_text(const Query& query) {
  std::vector<Hypothesis> all = query.hypotheses;
  all.push_back({"not the goal", negation(query.goal)});
  return print_assertions(Purpose::goal, query.title, all, "unsat");
}

QueryText hypotheses_text(const Query& query, bool with_example) {
  return print_assertions(Purpose::hypotheses, "",
                          with_example ? with(query.hypotheses, query.example) : query.hypotheses, "sat");
}

std::vector<QueryText> mutated_goal_texts(const Query& query, bool with_example) {
  std::vector<QueryText> out;
  for (const Term mutant : query.mutants) {
    std::vector<Hypothesis> all = query.hypotheses;
    all.push_back({"not the mutated goal", negation(mutant)});
    out.push_back(print_assertions(Purpose::mutated_goal, query.title, all, "sat"));
  }
  if (!query.mutants.empty()) return out;
  std::vector<Hypothesis> all = query.hypotheses;
  all.push_back({"the goal", query.goal});
  if (with_example) all = with(std::move(all), query.example);
  return {print_assertions(Purpose::mutated_goal, query.title, all, "sat")};
}

std::size_t check_on_execution(const Query& query, Evaluator& execution) {
  std::size_t undetermined = 0;
  for (const Hypothesis& h : query.hypotheses) {
    const std::optional<bool> holds = execution.holds(h.formula);
    if (holds == false)
      throw InternalError(fmt::format("a hypothesis of {} is false on an execution: {}: {}", query.title,
                                      h.name, to_smtlib(h.formula)));
    undetermined += holds ? 0 : 1;
  }
  const std::optional<bool> goal = execution.holds(query.goal);
  if (goal == false && undetermined == 0)
    throw InternalError(
        fmt::format("the goal of {} is false on an execution: {}", query.title, to_smtlib(query.goal)));
  return undetermined + (goal ? 0 : 1);
}

}  // namespace hallmark::smt
