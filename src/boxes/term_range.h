// The range of a term over the ranges of what it reads, by plain interval arithmetic: each operation's
// operands are inside its domain and, in a format, its result is finite, or there is no range.
#pragma once
#include <map>
#include <string>

#include "boxes/index_range.h"
#include "calculus/program.h"

namespace hallmark::boxes {

// By tensor name; of every element.
using Ranges = std::map<std::string, Range>;

// The range of each element of the definition, and of every operation on the way to it. Throws NotShown.
Range definition_range(const calculus::Definition& definition,
                       const std::vector<calculus::SymbolRange>& symbols, const Ranges& tensors);

// From the smallest to the largest element of constant data. Throws NotShown for formats other than f32 and
// f64, and for infinities and NaNs.
Range data_range(const calculus::TensorData& data);

// Of a constant term: its encoding's value. Throws NotShown where that is not finite.
Range constant_range(calculus::Term constant);
// The start value of a maximum (sign -1) or minimum (+1).
bool is_infinity(calculus::Term t, int sign);
bool mentions(calculus::Term t, calculus::Term part);
// Whether lanes of a fold with one component are put together by this very operation.
bool combined_by(const calculus::FoldParts& parts, calculus::Op op);

}  // namespace hallmark::boxes
