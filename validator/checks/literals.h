// Numbers of a specification over the reals that no float format holds, such as 0.1: the kernel's text can
// only have their nearest value. Where the kernel has that constant, it is what the specification is taken to
// mean, and the value says so among its assumptions; a number that a format holds stays as it is written.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "plan/kernel_spec.h"
#include "validator/ir/kernel.h"

namespace hallmark::validator {

struct WithLiterals {
  plan::KernelSpec spec;
  std::vector<std::string> assumptions;  // "0.1 means its nearest f32, 0x1.99999ap-4"; sorted
};
// With other equalities than over the reals: the specification as it is.
WithLiterals with_kernel_literals(plan::KernelSpec spec, const ir::Kernel& kernel);

}  // namespace hallmark::validator
