#include "smt/memory.h"

#include <fmt/format.h>

namespace hallmark::smt {
namespace {

std::string key_of(const std::string& solver, const GroupTexts& texts, const Budget& budget) {
  std::string key = fmt::format("{} {} {} {}", solver, budget.z3_units, budget.cvc5_units, texts.goal.sha256);
  for (const auto* list : {&texts.hypotheses, &texts.mutants}) {
    key += ";";
    for (const QueryText& text : *list) key += " " + text.sha256;
  }
  return key;
}

bool lasting(const Answer& answer) {
  return answer.kind != Answer::Kind::failed || answer.reason == Reason::resource_limit ||
         answer.reason == Reason::gave_up;
}

}  // namespace

std::optional<GroupAnswers> AnswerMemory::find(const std::string& solver, const GroupTexts& texts,
                                               const Budget& budget) const {
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(key_of(solver, texts, budget));
  if (found == groups_.end()) return std::nullopt;
  // A text of the group without an answer is an example that did not fit, or was not needed.
  return run_group(texts, [&](const QueryText& text) {
    const auto answer = found->second.answers.find(text.sha256);
    return answer != found->second.answers.end() ? answer->second
                                                 : Answer::failure(Reason::gave_up, "it was not put");
  });
}

void AnswerMemory::keep(const std::string& solver, const GroupTexts& texts, const Budget& budget,
                        const GroupAnswers& answers) {
  Known known{solver, {}};
  if (!lasting(answers.goal)) return;
  known.answers.emplace(texts.goal.sha256, answers.goal);
  for (const auto* list : {&answers.hypotheses, &answers.mutants})
    for (const auto& [text, answer] : *list) {
      if (!lasting(answer)) return;
      known.answers.emplace(text->sha256, answer);
    }
  const std::lock_guard lock(mutex_);
  groups_.emplace(key_of(solver, texts, budget), std::move(known));
}

std::optional<Answer> AnswerMemory::find_probe(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = probes_.find(key);
  return found == probes_.end() ? std::nullopt : std::optional<Answer>(found->second);
}

void AnswerMemory::keep_probe(const std::string& key, const Answer& answer) {
  const std::lock_guard lock(mutex_);
  probes_.emplace(key, answer);
}

void AnswerMemory::withdraw(const std::string& solver) {
  const std::lock_guard lock(mutex_);
  std::erase_if(groups_, [&](const auto& row) { return row.second.solver == solver; });
  probes_.clear();
}

}  // namespace hallmark::smt
