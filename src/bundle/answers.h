// What the recorded solver answers of one obligation are worth (design, section 4; soundness D1, E3, E6, G4).
//
// Queries are read in their order: a goal, then the paired queries (`hypotheses`, `mutated-goal`) that go
// with it. A solver *counts* for a goal if it answered `unsat` there and `sat` to the paired queries: at
// least one of each purpose that stands beside the goal, or, where none does because goals share them, at
// least one in the obligation. A solver that ever answered `unsat` to a paired query counts for nothing at
// all.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "obligation/obligation.h"

namespace hallmark::bundle {

struct AnswerSummary {
  bool has_goals = false;
  std::vector<std::string> solvers;   // all that were asked, sorted
  std::vector<std::string> counting;  // those that count for some goal, sorted
  std::size_t fewest = 0;             // over the goals: the smallest number of solvers that count for it
  bool disagreement = false;          // some goal has `sat` from one solver and `unsat` from another
  bool solver_missing = false;        // some answer to a goal is "solver-missing"
};
AnswerSummary summarise_answers(const Outcome&);

// A sentence that says why the recorded evidence does not carry the recorded state, or nothing. Beyond
// check_well_formed: proved by a solver needs a counting solver for each goal and no disagreement; a solver
// named in discharged_by must count.
std::string evidence_fault(const Obligation&);

// The name in discharged_by of an obligation each of whose goals has a certificate in the bundle.
inline constexpr const char* by_certificate = "certificate";
// Whether that is so: it is proved, has goals, and `has` says yes to the digest of each.
bool fully_certified(const Outcome&, const std::function<bool(const std::string& query_sha256)>& has);

// Whether a certificate stands for all of what the proof rests on: for each goal, or, where it has none, for
// the statement itself.
bool carries_certificate(const Obligation&, const std::function<bool(const std::string& sha256)>& has);

// The name in discharged_by of an obligation whose matched sums are written down: a certificate of kind
// "bijection", named by the statement, stands beside the queries of its proof (pairs/pairs.h).
inline constexpr const char* by_bijection = "bijection";
// Whether such a certificate may stand for it: a rule or a rewrite step that is proved by queries.
bool may_carry_bijection(const Obligation&);

// The first of scope, strength, location, reason, discharged_by, assumptions, detail, queries, witness in
// which two outcomes of one obligation in one state differ; empty when none does. What a solver printed
// beside its answer is not compared.
std::string evidence_difference(const Obligation& a, const Obligation& b);

// True when the proof rests on one solver for at least one goal.
bool rests_on_one_solver(const Obligation&);

// Applies the wish for both solvers: a proved obligation that rests on one becomes `unrun: solver-missing`
// when the other was not there, `unrun: single-solver` otherwise. Anything else is returned as it is.
Outcome demand_both_solvers(const Obligation&);

// False when a wall clock, a memory limit or a crash had a part in the outcome (soundness E2).
bool reproducible(const Outcome&);

}  // namespace hallmark::bundle
