// One refuted obligation derived and executed again.
#pragma once
#include <optional>
#include <string>

#include "bundle/open.h"
#include "pipeline/run.h"

namespace hallmark::pipeline {

// Derives the obligation from the bundle's model, contract, plan and artifact and discharges it alone:
// whether a witness was found and executed again. Nothing when the bundle no longer gives this obligation.
std::optional<bool> refutes_again(const bundle::OpenBundle& bundle, const Obligation& o, const Effort& effort,
                                  const Say& say);

}  // namespace hallmark::pipeline
