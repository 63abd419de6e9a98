// The conditions under which the authored program has a meaning at all: the importer writes down what a model
// demands of its sizes (that the K columns of one operand are the L rows of the other). Proofs of steps and
// of kernels take them as hypotheses, so that they hold for every size of the contract is an obligation.
#pragma once
#include <optional>

#include "obligation/obligation.h"
#include "pipeline/evidence.h"
#include "validator/launch/plan_checks.h"

namespace hallmark::pipeline {

// Nothing when the program has no conditions. Kind `defined`, level model; its subject is no tensor's name.
std::optional<Obligation> conditions_obligation(const Evidence& evidence);

// The claims that prove it; where they do not hold, sizes of the contract without a meaning, if a few tries
// find some (`failure` names them), and the reason.
struct ConditionsFinding : validator::PlanFinding {
  Reason reason = Reason::gave_up;
};
ConditionsFinding examine_conditions(const calculus::Program& authored,
                                     const validator::Prover::Probe& probe);

}  // namespace hallmark::pipeline
