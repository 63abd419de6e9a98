// One refuted obligation derived and executed again, and what a stranger needs to see it without this
// program.
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

// Writes into `folder` (new or empty): statement.txt, witness.json, each query as it was put, the texts of
// stage 4 and stage 1 that it is about, tensors of the witness as .npy where it holds some, and replay.sh,
// which asks stock solvers and this program. Throws UserError E7405 when the folder is not empty, E0002.
void write_reproducer(const bundle::OpenBundle& bundle, const Obligation& o, const std::string& folder);

}  // namespace hallmark::pipeline
