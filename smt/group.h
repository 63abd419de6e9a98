// The texts that belong to one claim and how one solver goes through them.
#pragma once
#include <functional>
#include <optional>

#include "smt/answer.h"
#include "smt/query.h"

namespace hallmark::smt {

struct GroupTexts {
  QueryText goal;
  std::vector<QueryText> hypotheses;  // tried in order until one is sat: with the example, then without
  std::vector<QueryText> mutants;     // the same: the caller's mutants, then the goal itself
};
GroupTexts group_texts(const Query& query);

// What one solver said to a group; the lists hold the texts that were put, in order.
struct GroupAnswers {
  Answer goal;
  std::vector<std::pair<const QueryText*, Answer>> hypotheses, mutants;
  bool passes() const;  // unsat, and sat to one of each
};

// Puts the goal and, when the answer is unsat, the two paired checks; all must come from one process,
// otherwise the goal's answer becomes a failure. `ask` may answer from a memory of the same process.
GroupAnswers run_group(const GroupTexts& texts, const std::function<Answer(const QueryText&)>& ask);

// Whether the solver contradicts itself: hypotheses satisfiable, and yet neither with the goal nor with its
// negation.
bool contradicts_itself(const GroupTexts& texts, const GroupAnswers& answers);

// Equations that pin the variables of a model, for the check that hypotheses are satisfiable.
std::vector<Term> equations_of(Arena& arena, const std::vector<std::pair<std::string, Value>>& model);

// Whether the assertions hold under a model of their text; nothing where the model does not determine it
// (functions, division by zero).
std::optional<bool> confirmed(const std::vector<Term>& assertions,
                              const std::vector<std::pair<std::string, Value>>& model);

}  // namespace hallmark::smt
