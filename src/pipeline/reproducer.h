// What a stranger needs to see a refutation without this program.
#pragma once
#include <optional>
#include <string>

#include "bundle/open.h"
#include "obligation/obligation.h"
#include "pipeline/evidence.h"
#include "pipeline/host_program.h"

namespace hallmark::pipeline {

// Writes into `folder` (new or empty): statement.txt, witness.json, each query as it was put, the texts of
// stages 1 and 4, the tensors of the witness as .npy, reproduce.cpp and reproduce.cu (the launches of stage 4
// on the witness's bytes, with cuda_on_host.h, which runs them on a processor thread by thread in a stated
// order), and replay.sh, which asks stock solvers and compiles and runs what it can. README.txt says what is
// missing and why. Throws UserError E7405 when the folder is not empty, E0002.
void write_reproducer(const bundle::OpenBundle& bundle, const Obligation& o, const std::string& folder);

// The launches of a plan on the inputs of a witness. Nothing, with the reason, when the witness does not hold
// every element of every input or a format has no counterpart in C++.
std::optional<HostProgram> program_of(const Evidence& evidence, const Obligation& o, std::string& why_not);

}  // namespace hallmark::pipeline
