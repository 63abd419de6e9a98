// Two kernels on the same inputs, executed: what refutes that they leave the same bits, and contradicts a
// proof of it. A comparison may rest on operations that the reference evaluator has no meaning for; the
// interpreter has one.
#pragma once
#include <optional>

#include "obligation/obligation.h"
#include "plan/kernel_spec.h"
#include "validator/ir/kernel.h"

namespace hallmark::validator {

// The first element of an output, in small launches that both specifications admit, in which the kernels
// leave different bits (two NaN count as equal); expected is what the first leaves. Nothing when there is
// none, and for launches that do not finish, commit a fault, or depend on bits that only the device knows.
// The specifications have the same parameters and symbols; their launches may differ.
std::optional<Witness> difference_side_by_side(const plan::KernelSpec& first, const ir::Kernel& first_kernel,
                                               const plan::KernelSpec& second,
                                               const ir::Kernel& second_kernel);

}  // namespace hallmark::validator
