#include "validator/checks/portfolio_probe.h"

#include "validator/symbolic/probe.h"

namespace hallmark::validator {
namespace {

using calculus::Term;

bool has_product(const std::vector<Term>& facts, Term goal) {
  bool found = false;
  const auto see = [&](Term node) { found = found || node->kind == calculus::Kind::product; };
  for (Term fact : facts) calculus::for_each_node(fact, see);
  calculus::for_each_node(goal, see);
  return found;
}

}  // namespace

Prover::Probe portfolio_probe(smt::Portfolio& portfolio) {
  return [&portfolio](const std::vector<Term>& facts, Term goal) {
    for (Products products : {Products::plain, Products::lemmas}) {
      smt::Arena arena;
      if (portfolio.seems_to_hold(claim_query(arena, facts, goal, nullptr, products))) return true;
      if (!has_product(facts, goal)) return false;
    }
    return false;
  };
}

}  // namespace hallmark::validator
