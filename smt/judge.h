// From recorded answers to an outcome: a pure function of the records, so that a receipt's states can be
// derived again from its answers by anybody (design, section 4).
#pragma once
#include <set>
#include <string>
#include <vector>

#include "obligation/obligation.h"

namespace hallmark::smt {

enum class Rule {
  both,          // every wanted solver must prove; one alone is `unrun: single-solver`
  one_suffices,  // one proof is enough, the others being undecided
};
// The default policy: one suffices for `rule` and `rewrite-step`, both elsewhere.
Rule default_rule(ObligationKind kind);

struct Quorum {
  std::vector<std::string> wanted = {"z3", "cvc5"};  // what the policy wants, present or not
  Rule rule = Rule::both;
};

// `queries` is one or more groups: a record of purpose "goal", then its "hypotheses" and "mutated-goal"
// records. For each group and each wanted solver:
//   proves    unsat to the goal, sat to some record of the hypotheses and sat to some mutated goal
//   vacuous   unsat to the hypotheses
//   refutes   sat to the goal
//   undecided anything else, with its reason
// Outcome of a group, in this order: a pair of sat and unsat to the same text, or one proves and another
// refutes: `disagreement`. Some solver vacuous: `vacuous`. Some solver refutes: `witness-not-replayed` (the
// counterexample has to be executed by the caller before anything is refuted). All prove, or one proves and
// the rule lets one suffice: proved. A wanted solver is missing and the rule is both: `solver-missing`. One
// proves: `single-solver`, or `solver-crash` when another was excluded or crashed. Otherwise the reason of
// the solver that came furthest. All groups must be proved for the whole to be proved, by the solvers that
// proved every group; else the first group that is not gives the reason. No group at all: not_scheduled.
Outcome judge(const std::vector<QueryRecord>& queries, const Quorum& quorum);

// The records with every answer of the excluded solvers withdrawn (solver-crash; what it said stays in the
// raw text).
std::vector<QueryRecord> withdraw(std::vector<QueryRecord> queries, const std::set<std::string>& excluded);

}  // namespace hallmark::smt
