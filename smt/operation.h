// The meaning of each operation on constants; shared by constant folding and by the evaluator, so that both
// read an operation alike.
#pragma once
#include <optional>

#include "smt/evaluate.h"

namespace hallmark::smt {

// Nothing for a division by zero over Int or Real. `op` is not constant, apply.
std::optional<Rational> operate(Op op, Sort result, const std::vector<Value>& args, unsigned first,
                                unsigned second);

}  // namespace hallmark::smt
