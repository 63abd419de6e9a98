// What a plan computes once, when it is loaded: tensors that depend on constants alone (folded weights).
#pragma once
#include <set>
#include <string>

#include "calculus/program.h"

namespace hallmark::lowering {

// Definitions whose elements are fixed by the program's constants: they load constants and other such
// definitions only, and neither their term nor their extents mention a symbol of the program, whose value may
// change from call to call. Outputs are left out, because the caller's memory is written on each call.
std::set<std::string> fixed_definitions(const calculus::Program& formulation);

// Whether a fixed definition is better read from memory, where it was left once, than computed inside the
// kernel that uses it: it does more with what it loads than to select and move elements.
bool worth_preparing(const calculus::Definition& definition);

}  // namespace hallmark::lowering
