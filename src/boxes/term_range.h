// The range of a term over the ranges of what it reads, by plain interval arithmetic: each operation's
// operands are inside its domain and, in a format, its result is finite, or there is no range.
#pragma once
#include <map>
#include <string>

#include "boxes/rational_interval.h"
#include "calculus/program.h"

namespace hallmark::boxes {

// By tensor name; of every element.
using Ranges = std::map<std::string, Range>;

// Thrown where a range cannot be shown; says why. Never a verdict about the term.
struct NotShown {
  std::string why;
};

// The range of each element of the definition, and of every operation on the way to it. Throws NotShown.
Range definition_range(const calculus::Definition& definition,
                       const std::vector<calculus::SymbolRange>& symbols, const Ranges& tensors);

// From the smallest to the largest element of constant data. Throws NotShown for formats other than f32 and
// f64, and for infinities and NaNs.
Range data_range(const calculus::TensorData& data);

}  // namespace hallmark::boxes
