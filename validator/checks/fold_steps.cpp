#include "validator/checks/fold_steps.h"

#include <algorithm>

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

Term last_step(Term fold, const Integer& extent) {
  // fold over n steps = step(n - 1) of the fold over n - 1.
  calculus::FoldParts parts = calculus::open(fold);
  const Term last = calculus::integer(Integer(extent - 1));
  calculus::FoldParts shorter = parts;
  shorter.extent = last;
  calculus::Substitution at{{parts.variable, last}};
  for (std::size_t j = 0; j < parts.states.size(); ++j)
    at[parts.states[j]] = extent == 1 ? parts.init[j] : calculus::fold(shorter, static_cast<int>(j));
  const std::size_t which = static_cast<std::size_t>(fold->which);
  const Term guard = parts.guard != nullptr ? calculus::substitute(parts.guard, {{parts.variable, last}})
                                            : calculus::truth(true);
  return calculus::select(guard, calculus::substitute(parts.step[which], at), at.at(parts.states[which]));
}

long chain(Term term, Term state, std::map<Term, long>& memo) {
  if (term == state) return 0;
  if (const auto found = memo.find(term); found != memo.end()) return found->second;
  long best = -1;
  for (std::size_t i = 0; i < term->children.size(); ++i)
    best = std::max(best, chain(term->children[i], state, memo));
  if (best >= 0 && (term->kind == Kind::operation || term->kind == Kind::fold)) ++best;
  constexpr long longest = 1 << 12;
  const Integer* steps = term->kind == Kind::fold ? calculus::as_integer(term->children[0]) : nullptr;
  if (best >= 0 && steps != nullptr && *steps > 1 && *steps <= longest) {
    const calculus::FoldParts parts = calculus::open(term);
    const auto which = static_cast<std::size_t>(term->which);
    std::map<Term, long> within;
    const long before = chain(parts.init[which], state, memo),
               each = chain(parts.step[which], parts.states[which], within);
    if (before >= 0 && each > 0 && each <= longest) best = std::max(best, before + steps->get_si() * each);
  }
  memo[term] = best;
  return best;
}

}  // namespace hallmark::validator
