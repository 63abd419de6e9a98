// What the names in a text mean, and how the terms that they stand for are written.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calculus/program.h"

namespace hallmark::calculus::text {

struct TensorType {
  Format format = Format::f32;
  std::size_t rank = 0;
};

struct FunctionType {
  std::vector<Sort> parameters;
  Sort result;
};

struct Scope {
  // Symbols, axes, parameters and other free variables, by the name that is written.
  std::map<std::string, Term, std::less<>> names;
  std::map<std::string, TensorType, std::less<>> tensors;
  std::map<std::string, FunctionType, std::less<>> functions;
  // The sort of a number without '@', and whether tensors are read in their formats (a formulation) or
  // exactly.
  Sort number_sort = Sort::real();
  bool rounded = false;

  Sort load_sort(Format format) const { return rounded ? stored_sort(format) : exact_sort(format); }
};

}  // namespace hallmark::calculus::text
