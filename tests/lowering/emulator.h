// Runs a whole artifact on the CPU: compiles each kernel text with cuda_on_cpu.h and executes the launch
// plan.
#pragma once
#include "lowering/lower.h"
#include "term_evaluator.h"

namespace hallmark::testing {

// Executes every launch in order on buffers that start with the pattern 0xAB where no input is. The arena is
// one block of memory, used as the plan says. Adds outputs and arena tensors to `tensors` under their names,
// outputs always, an arena tensor as it was right after the launch that wrote it.
void run_on_cpu(const lowering::Artifact& artifact, const std::map<std::string, long>& symbols,
                Tensors& tensors);

}  // namespace hallmark::testing
