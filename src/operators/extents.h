// Facts about extents: index terms over ranged symbols. What cannot be decided for every value of the
// symbols is `unknown`, and whoever asks then refuses or states a precondition (design, section 2).
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calculus/program.h"

namespace hallmark::operators {

using Extents = std::vector<calculus::Term>;
using SymbolRanges = std::map<std::string, calculus::SymbolRange>;

enum class Decision { no, yes, unknown };

// Bounds of an index term's value; an end that is not known is empty. Terms other than sums, products,
// divisions, minima and maxima of symbols are unbounded.
struct Bounds {
  std::optional<Integer> low, high;
};
Bounds bounds(calculus::Term index, const SymbolRanges& ranges);
Decision is_equal(calculus::Term a, calculus::Term b, const SymbolRanges& ranges);
Decision is_at_most(calculus::Term a, calculus::Term b, const SymbolRanges& ranges);
// The term, of any sort, with the comparisons and divisions replaced that are decided for all values of the
// symbols, of the variables of folds below their extents and, when extents are given, of axis(0..) inside
// them (the index of an axis of extent 1 is written 0). Integers made of indices are compared and
// read back as indices where they cannot wrap.
calculus::Term simplify(calculus::Term term, const SymbolRanges& ranges, const Extents& extents = {});

calculus::Term product(const Extents& extents);
// The values when all are integers.
std::optional<std::vector<std::int64_t>> concrete(const Extents& extents);
std::string text(const Extents& extents);  // "[2, N, 3]"
std::string text(calculus::Term index);

// Row-major: the position of `indices` in a tensor of these extents.
calculus::Term flatten(const std::vector<calculus::Term>& indices, const Extents& extents);
// The indices at a row-major position, which must lie inside.
std::vector<calculus::Term> unflatten(calculus::Term position, const Extents& extents);
// Indices into a tensor `from` of the element that stands at `indices` when the tensor is read as `to` with
// the same elements in row-major order. Axes are related in the smallest groups of equal product, so that
// [B, S, 768] read as [B, S, 12, 64] keeps the first two indices as they are.
std::vector<calculus::Term> reshaped(const Extents& from, const Extents& to,
                                     const std::vector<calculus::Term>& indices);

// axis(0), ..., axis(rank - 1)
std::vector<calculus::Term> axes(std::size_t rank);

}  // namespace hallmark::operators
