// What the elements of integer tensors may be: index tensors decide which places a kernel reads.
#pragma once
#include "calculus/program.h"
#include "contract/contract.h"
#include "plan/derive_spec.h"
#include "rules/rule.h"

namespace hallmark::pipeline {

// For each integer input that the contract has a box for: the integers inside the box. For each integer
// constant: from its least to its greatest element. Half open, low <= element < high; a tensor without
// elements has none.
plan::ElementRanges element_ranges(const calculus::Program& program, const contract::Contract& contract);

// The same with both ends included, as rules about Z take them.
rules::WholeRanges whole_ranges(const calculus::Program& program, const contract::Contract& contract);

}  // namespace hallmark::pipeline
