// The tests' own evaluation of a formulation, element by element, straight from the calculus: the oracle for
// emitted kernels. Independent of the lowering; slow.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "calculus/program.h"

namespace hallmark::testing {

// A tensor's elements as 64-bit patterns: floats by their encoding, integers sign- or zero-extended, bool 0
// or 1.
struct Values {
  calculus::Format format = calculus::Format::f32;
  std::vector<long> extents;
  std::vector<std::uint64_t> bits;
};
using Tensors = std::map<std::string, Values>;

// Computes every definition in order and adds it to `tensors`. Symbols take the given values.
void evaluate(const calculus::Program& formulation, const std::map<std::string, long>& symbols,
              Tensors& tensors);
// The value of one closed Float term whose free variables have the given encodings.
std::uint64_t evaluate_float(calculus::Term term, const std::map<calculus::Term, std::uint64_t>& variables);

}  // namespace hallmark::testing
