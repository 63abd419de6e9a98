// Stage 3: every route of the candidate space is formulated in the variants that the contract permits,
// lowered and priced over the workload. From the cheapest on, candidates that break a constraint or whose
// numerics do not hold (admit.h) are rejected with the reason, until one is admitted: it is elected. The
// cheapest admitted one on each plane (planes.h) is recorded beside it. A price is never a proof.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "contract/contract.h"
#include "formulation/formulate.h"
#include "lowering/lower.h"
#include "pipeline/candidate.h"
#include "pipeline/context.h"
#include "pipeline/space.h"
#include "select/cost.h"

namespace hallmark::pipeline {

struct Selection {
  std::vector<search::Step> steps;
  std::vector<rules::RuleFamily> rules;  // of the elected route's steps
  calculus::Program elected;             // exact
  formulation::Formulation formulation;
  bool fused = false;
  json::value record;  // 3-selection/selection.json: context, prices, election
  Context context;
  // What lowering gave while it was priced; nothing when the selection was read from its folder.
  std::optional<lowering::Artifact> artifact;
};

// Throws what formulate and lower throw for the authored program; a rewritten route that cannot be lowered is
// rejected. Refusal E7402 when no route is admitted.
Selection choose(const calculus::Program& authored, const contract::Contract& contract, const Space& space,
                 const Context& context, const Tell& tell);

// The folder 3-selection, and back.
Files selection_files(const Selection& selection, const calculus::Program& authored,
                      const contract::Contract& contract);
Selection read_selection(const StageReader& in, const calculus::Program& authored,
                         const contract::Contract& contract);

}  // namespace hallmark::pipeline
