// One kernel's control flow put into another that is being built.
#pragma once
#include <vector>

#include "validator/ir/builder.h"

namespace hallmark::validator::ir {

// Appends `part` to the builder's block; what follows goes where the block `exit` of `part`, the only one
// that leaves, ends. Its instructions get the builder's place; `parameter` instructions become the values of
// `inputs` at their number, seen in their type. Returns what each value of `part` has become: `none` where it
// is never defined. Throws Refusal E3110 where an input is missing or has another width, and where `part` has
// arrays of its own.
std::vector<ValueId> splice(Builder& builder, const Kernel& part, BlockId exit,
                            const std::vector<ValueId>& inputs);

}  // namespace hallmark::validator::ir
