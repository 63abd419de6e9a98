// How far a term of a formulation can be from its exact value, over the boxes and errors of what it reads:
// the same term is computed once as it is written, with its roundings, and once over the reals. Exact
// rational arithmetic, first principles, nothing of numerics/: a sound bound, not the best one.
//
// Roundings move a result by at most half a unit in the last place (to nearest; a whole one otherwise), or by
// the smallest subnormal. Nothing is shown where subnormals are flushed. A sum of n terms of which
// each goes through at most h additions is off by at most h u / (1 - h u) times the sum of the terms'
// magnitudes (Higham, "Accuracy and Stability of Numerical Algorithms", chapter 4).
#pragma once
#include <map>
#include <string>
#include <vector>

#include "boxes/term_range.h"

namespace hallmark::boxes {

struct Approximation {
  Range exact, computed;
  Rational error;  // |computed - exact| of each element
};
using Approximations = std::map<std::string, Approximation>;  // by tensor name

// What an encoding in a definition stands for in the exact program.
struct ExactConstant {
  std::string definition;
  calculus::Format format = calculus::Format::f32;
  std::uint64_t bits = 0;
  Rational exact;
};

// Throws NotShown where no bound is shown: comparisons of elements, casts, functions of other terms, folds
// that are neither sums nor extrema.
Approximation definition_error(const calculus::Definition& definition,
                               const std::vector<calculus::SymbolRange>& symbols,
                               const std::vector<ExactConstant>& constants, const Approximations& tensors);

// The most additions that a term or a lane of a sum of up to `steps` goes through in this order.
Integer height_of(const calculus::Order* order, const Integer& steps);

}  // namespace hallmark::boxes
