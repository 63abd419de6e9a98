// A solver's word for the prover (validator/symbolic/prover.h).
#pragma once
#include "smt/portfolio.h"
#include "validator/symbolic/prover.h"

namespace hallmark::validator {

// Asks without lemmas about products first: most claims need none, and what is not decided is asked again
// with them. The portfolio must outlive the probe.
Prover::Probe portfolio_probe(smt::Portfolio& portfolio);

}  // namespace hallmark::validator
