// What one kernel leaves in its buffers, as the ensures of a specification: each store of the symbolic
// execution is one, over the indices of block and thread and the iterations of the loops around it. A second
// kernel is compared with the first by being checked against them.
//
// They say what the first kernel computes only together with its own obligations: no race, reads of written
// memory inside buffers, uniform barriers. Whoever uses them discharges those too.
#pragma once
#include <vector>

#include "plan/kernel_spec.h"
#include "validator/ir/kernel.h"
#include "validator/symbolic/prover.h"

namespace hallmark::validator {

// Under spec.equality: `bits` keeps every rounding, `reals` takes them away. Throws Refusal E4012 for an
// output that is not a term over the inputs: values that the execution does not follow, atomics, integer
// accumulations of unknown order, or roundings that cannot be taken away.
std::vector<plan::Ensure> outputs_of(const plan::KernelSpec& spec, const ir::Kernel& kernel,
                                     const Prover::Probe& probe);

// The real term that a float term rounds: loads are exact, operations lose their roundings, fma is a product
// and a sum. Throws Refusal E4012 for NaN, an infinity, and operations without a real meaning.
calculus::Term exact_term(calculus::Term value);

}  // namespace hallmark::validator
