// Structs that are passed by value, taken apart into what the text reads of them: "p" of 24 bytes becomes the
// parameters "p_0" and "p_8" in the order of their offsets. A specification describes pointers and numbers,
// and so every kernel whose structs hold nothing else can have one. A struct of which nothing is read goes
// away.
#pragma once
#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

// Leaves a struct as it is where two reads overlap without being the same.
void split_parameters(Kernel& kernel);

}  // namespace hallmark::validator::ir
