// What every lowering test asks of a program.
#pragma once
#include <string>

#include "formulation/formulate.h"
#include "lowering/lower.h"
#include "programs.h"

namespace hallmark::testing {

// Formulates and lowers the program, runs the artifact on the CPU with random inputs and compares every
// tensor that a kernel wrote with the evaluation of the formulation, bit for bit (NaNs being one value).
void expect_kernels_match(const calculus::Program& exact, const formulation::Options& options = {},
                          const lowering::Schedule& schedule = {},
                          const std::map<std::string, long>& symbols = {}, Tensors inputs = {});
// nvcc (where there is one) and clang-14 compile every text without a warning.
void expect_texts_compile(const lowering::Artifact& artifact);

}  // namespace hallmark::testing
