// Rules whose integers are those of Z (`unbounded` in the text). Such a rule is proved over Z and says
// nothing of numbers that wrap around, so it may be used only where no operation of either side leaves its
// format: that is shown from the ranges of the tensors' elements, before it fires and again for each step
// that it made.
#pragma once
#include <string>
#include <vector>

#include "rules/rule.h"

namespace hallmark::rules {

// The same rule over whole numbers: one definition a side, whose integer elements are reals that are
// integers; conversions between integer formats change nothing. Throws Refusal E2113 for an operation that
// has no meaning over Z (bits, shifts), for quotients of reductions, and for conversions between integers and
// reals.
Rule over_whole_numbers(const Rule& rule);

// Whether some operation on integers of these definitions may leave its format, the elements of the tensors
// being in these ranges (those of a tensor without one: in its format) and the symbols in theirs: the first
// that is not shown to stay inside, as "an addition of i32 in T"; empty when all are.
std::string may_wrap(const std::vector<calculus::Definition>& definitions,
                     const std::vector<calculus::SymbolRange>& symbols, WholeRanges ranges);

// Ranges of the integer tensors that the definitions define, in order, added to those given. Where an
// operation may wrap, what it computes is any number of its format.
WholeRanges with_definitions(const std::vector<calculus::Definition>& definitions,
                             const std::vector<calculus::SymbolRange>& symbols, WholeRanges ranges);

// The demands of a rule on contents that hold by these ranges alone: each element of an integer tensor in its
// range.
std::vector<Given> givens_of(const WholeRanges& ranges, const std::vector<calculus::Declaration>& tensors);

// Bounds of an integer element by its form alone, whatever its tensors and symbols hold: those of its format
// where nothing narrower is known. `wraps`: whether some operation in it may leave its format.
struct KnownRange {
  WholeRange range;
  bool wraps = false;
};
KnownRange range_of(calculus::Term element);

// Whether the float format has every integer of the range.
bool holds_integers(calculus::Format format, const WholeRange& range);

}  // namespace hallmark::rules
