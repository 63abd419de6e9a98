#include "validator/checks/operand_order.h"

#include <algorithm>

namespace hallmark::validator {

using calculus::Term;

namespace {

// The nearest element is one of the operand's own; what stands far deeper, like the greatest of a row in each
// of its exponentials, both operands share.
constexpr int levels_below_the_nearest = 2;
constexpr std::size_t most_nodes = 4096;

// What a loop computes first, which has no variable of its own.
Term first_step(Term fold) {
  const calculus::FoldParts parts = calculus::open(fold);
  return calculus::substitute(parts.step[static_cast<std::size_t>(fold->which)],
                              {{parts.variable, calculus::integer(0)}});
}

}  // namespace

const std::set<Term>& OperandOrder::elements(const Term& term) {
  const auto [entry, fresh] = known_.try_emplace(term);
  if (!fresh) return entry->second;
  std::set<Term>& found = entry->second;
  std::set<Term> seen{term};
  std::vector<Term> level{term};
  for (int left = -1; !level.empty() && left != 0 && seen.size() < most_nodes;) {
    std::vector<Term> below;
    const auto visit = [&](Term child) {
      if (seen.insert(child).second) below.push_back(child);
    };
    for (Term node : level) {
      if (node->kind == calculus::Kind::load)
        found.insert(node);
      else if (node->kind == calculus::Kind::fold && node->free_heights.empty())
        visit(first_step(node));
      else
        std::for_each(node->children.begin(), node->children.end(), visit);
    }
    if (left > 0)
      --left;
    else if (!found.empty())
      left = levels_below_the_nearest;
    level = std::move(below);
  }
  return found;
}

std::size_t OperandOrder::common(const Term& a, const Term& b) {
  const std::set<Term>&left = elements(a), &right = elements(b);
  return static_cast<std::size_t>(
      std::count_if(left.begin(), left.end(), [&](Term element) { return right.count(element) != 0; }));
}

bool OperandOrder::exchanged(const Term& first, const Term& second, const Term& spec_first,
                             const Term& spec_second) {
  return common(first, spec_second) + common(second, spec_first) >
         common(first, spec_first) + common(second, spec_second);
}

}  // namespace hallmark::validator
