// Which bare additions the assembler may fuse with a multiplication (soundness G8).
//
// PTX lets ptxas contract `mul` followed by `add` or `sub` into one fma when both are written without a
// rounding modifier (PTX ISA, add{.rnd}.f32: "instructions with no rounding modifier may be optimized
// aggressively"). We take this to be the only thing that it does to them (assumption
// ptxas-contraction-only-mul-add): a bare addition none of whose operands can be the product of a bare
// multiplication rounds to nearest even like its .rn form, and so does every bare multiplication where its
// own value is used.
#pragma once
#include <set>

#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

// The contractible float_add and float_sub instructions of which an operand may be the result of a
// contractible float_mul: directly, or through anything that hands on bits (copies, block parameters,
// selections, conversions of the representation, integer operations such as a flip of the sign), negation and
// absolute value. Through memory and other lanes a product has been rounded.
std::set<const Instruction*> fusible_additions(const Kernel& kernel);

}  // namespace hallmark::validator::ir
