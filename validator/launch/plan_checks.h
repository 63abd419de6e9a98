// The obligations of a launch plan: what kernels' proofs assume about the launches around them (soundness
// A3). Nothing here looks at a kernel's text.
//
//   launch    one per launch: grid and block are within the limits of the programming model for every value
//             of the symbols; and one per plan: every size that the program's symbols may have is a size of
//             the plan, and the plan's requirements hold there. All other proofs take the plan's ranges and
//             requirements as hypotheses, so it is this one that makes them speak of the contract
//   handoff   one per launch: the requirements of its statement hold there; arguments fit their formats; no
//             two buffers that it receives overlap where it writes one of them
//   order     one per plan: launches that touch the same bytes, one of them writing, are ordered by stream or
//   edge; and one per launch that prepares (it runs once, when the plan is loaded, and the others on each
//   call): it stands before all that do not, reads constants and what such launches wrote, writes nothing but
//   buffers that are kept, and depends on no symbol
//   memory    one per arena buffer: inside the arena, aligned, and disjoint from every buffer alive at the
//   same time; one per kept buffer: a single launch writes it, and that one prepares
//   init      one per launch: each buffer that it reads is an input, a constant, or was written
//   whole by an earlier launch and
//             not overwritten since
//   compose   one per output: the term that the launches compute, earlier launches' terms standing for the
//   buffers they write,
//             is the formulation's term of that output
#pragma once
#include <vector>

#include "obligation/obligation.h"
#include "plan/derive_spec.h"
#include "validator/symbolic/prover.h"

namespace hallmark::validator {

// In a fixed order, computed without looking at any verdict. The symbols of `formulation` have the ranges
// that the contract gives them; that its preconditions hold for all of these is shown elsewhere
// (pipeline/conditions.h), here they are facts.
std::vector<Obligation> list_plan_obligations(const calculus::Program& formulation,
                                              const plan::LaunchPlan& plan);

// What is assumed of sizes that the contract leaves without an upper end, where a requirement of the plan
// does not hold of all of them: no plan of 32-bit extents serves every number. Taken from the program, never
// from the plan: each tensor has fewer than 2^31 elements; if that is not enough, no such size is above
// 65535.
inline constexpr const char* tensors_are_indexable = "tensors-have-fewer-than-2^31-elements";
inline constexpr const char* open_sizes_are_small = "sizes-without-an-end-are-at-most-65535";

// What was found of one obligation: the claims its proof relies on (none: it is decided by constants alone),
// or why it fails.
struct PlanFinding {
  bool holds = false;
  std::string failure;
  std::vector<Claim> claims;
  std::vector<std::string> assumptions;
};

// One finding for each obligation of list_plan_obligations, in its order. The claims still have to be put to
// both solvers by the caller.
std::vector<PlanFinding> examine_plan(const calculus::Program& formulation, const plan::LaunchPlan& plan,
                                      const Prover::Probe& probe);

}  // namespace hallmark::validator
