#include "smt/group.h"

#include <algorithm>

namespace hallmark::smt {
namespace {

using Answered = std::vector<std::pair<const QueryText*, Answer>>;

bool some_sat(const Answered& answers) {
  return std::any_of(answers.begin(), answers.end(), [](const auto& a) { return a.second.is_sat(); });
}

Answered until_sat(const std::vector<QueryText>& texts, const std::function<Answer(const QueryText&)>& ask) {
  Answered out;
  for (const QueryText& text : texts) {
    out.emplace_back(&text, ask(text));
    if (out.back().second.is_sat()) break;
  }
  return out;
}

}  // namespace

GroupTexts group_texts(const Query& query) {
  GroupTexts out;
  out.goal = goal_text(query);
  if (!query.example.empty()) out.hypotheses.push_back(hypotheses_text(query, true));
  out.hypotheses.push_back(hypotheses_text(query, false));
  if (!query.mutants.empty()) out.mutants = mutated_goal_texts(query, false);
  Query plain = query;
  plain.mutants.clear();
  if (!query.example.empty()) out.mutants.push_back(mutated_goal_texts(plain, true).front());
  out.mutants.push_back(mutated_goal_texts(plain, false).front());
  return out;
}

bool GroupAnswers::passes() const {
  return goal.is_unsat() && some_sat(hypotheses) && some_sat(mutants);
}

GroupAnswers run_group(const GroupTexts& texts, const std::function<Answer(const QueryText&)>& ask) {
  GroupAnswers out;
  // A process that ended on the way is replaced; the group is then put to the new one, from the start, once.
  for (int round = 0; round < 2; ++round) {
    out.goal = ask(texts.goal);
    out.hypotheses.clear();
    out.mutants.clear();
    if (!out.goal.is_unsat()) return out;
    out.hypotheses = until_sat(texts.hypotheses, ask);
    // An example that does not fit says nothing about the hypotheses, so it does not enter the record.
    while (out.hypotheses.size() > 1) out.hypotheses.erase(out.hypotheses.begin());
    if (!some_sat(out.hypotheses)) return out;
    out.mutants = until_sat(texts.mutants, ask);
    if (!some_sat(out.mutants)) return out;
    const unsigned process = out.goal.process;
    if (out.hypotheses.back().second.process == process && out.mutants.back().second.process == process)
      return out;
  }
  out.goal = Answer::failure(Reason::solver_crash, "goal and paired checks were not answered by one process");
  return out;
}

bool contradicts_itself(const GroupTexts& texts, const GroupAnswers& answers) {
  if (!answers.goal.is_unsat() || !some_sat(answers.hypotheses)) return false;
  for (const auto& [text, answer] : answers.mutants)
    if (text == &texts.mutants.back() && answer.is_unsat()) return true;
  return false;
}

std::vector<Term> equations_of(Arena& arena, const std::vector<std::pair<std::string, Value>>& model) {
  std::vector<Term> out;
  for (const auto& [name, value] : model)
    out.push_back(equal(arena.variable(name, value.sort), constant(arena, value)));
  return out;
}

std::optional<bool> confirmed(const std::vector<Term>& assertions,
                              const std::vector<std::pair<std::string, Value>>& model) {
  Assignment assignment;
  for (const auto& [name, value] : model) assignment.variables.emplace(name, value);
  Evaluator evaluator(std::move(assignment));
  bool all_known = true;
  for (const Term t : assertions) {
    const std::optional<bool> holds = evaluator.holds(t);
    if (holds == false) return false;
    all_known &= holds.has_value();
  }
  return all_known ? std::optional<bool>(true) : std::nullopt;
}

}  // namespace hallmark::smt
