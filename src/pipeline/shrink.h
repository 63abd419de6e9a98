// A smaller witness of the same refutation.
#pragma once
#include <optional>

#include "bundle/open.h"
#include "numerics/witness.h"
#include "obligation/obligation.h"
#include "pipeline/run.h"

namespace hallmark::pipeline {

// Looks for a witness at smaller sizes, one symbol after the other, each time executed on both sides as the
// first one was; nothing when no smaller one was found, or the refutation is not one of numerics (kernels are
// executed smallest first).
std::optional<Witness> shrink(const bundle::OpenBundle& bundle, const Obligation& o, const Effort& effort,
                              const Say& say);

// How the reference evaluator runs a formulation for the search of witnesses.
numerics::WitnessOptions witness_options(unsigned jobs);

}  // namespace hallmark::pipeline
