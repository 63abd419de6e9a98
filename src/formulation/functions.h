// Elementary functions of emitted kernels, written in fused multiply-adds, selects and correctly rounded
// operations, as calculus Functions. Each stands for one real operation up to its error bound.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calculus/program.h"

namespace hallmark::formulation {

struct ElementaryFunction {
  calculus::Function function;
  // The real term that it approximates, over the same number of arguments; nullptr for a helper that only
  // other functions use.
  calculus::Term (*exact)(const std::vector<calculus::Term>& arguments) = nullptr;
};

// In dependency order: a function uses only what stands before it.
const std::vector<ElementaryFunction>& elementary_functions();
const ElementaryFunction* find_elementary_function(std::string_view name);
// The name of the function that implements the operation on this format ("exp_f32"), if there is one.
std::optional<std::string> implementation(calculus::Op op, calculus::Format format);

}  // namespace hallmark::formulation
