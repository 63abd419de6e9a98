// Elements that depend on single elements of inputs, as one term over these: several reads of one element
// become one, and what they have to do with each other (x * x - x is never below -1/4) is seen where the box
// of the input is cut into parts.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "calculus/program.h"

namespace hallmark::numerics {

struct Pointwise {
  calculus::Definition definition;  // with the definitions that it reads put in their place, and no fold
  // Inputs of floating formats of each of whose tensors one element is read, and that more than once; those
  // that are read most first, two at most. Never empty.
  std::vector<std::string> inputs;
};

std::optional<Pointwise> pointwise(const calculus::Program& program, const calculus::Definition& definition);

}  // namespace hallmark::numerics
