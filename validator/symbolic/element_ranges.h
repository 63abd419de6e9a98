// What a specification promises of the numbers in its index tensors: `with low <= element < high`.
#pragma once
#include "plan/kernel_spec.h"
#include "validator/symbolic/prover.h"

namespace hallmark::validator {

// The promise as facts about single elements, each for an element that exists: a tensor without elements
// promises nothing, whatever its bounds are.
Prover::Axioms element_ranges(const plan::KernelSpec& spec);

}  // namespace hallmark::validator
