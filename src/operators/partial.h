// Partial evaluation of integer and boolean terms at import: what they are as functions of the symbols.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operators/extents.h"

namespace hallmark::operators {

// The index term that equals the closed term `a` of sort Int or Bool (1 and 0), when that can be found.
// `element` gives the same for a tensor's element at integer indices. Operations in 64 bits are read as
// operations on the integers: nothing is found where that is wrong for some of bounded symbols, or numbers
// stand in it that make it wrong soon, and `may_wrap` is set where it is not shown for all.
using ElementLookup =
    std::function<std::optional<calculus::Term>(const std::string& tensor, const std::vector<std::int64_t>&)>;
std::optional<calculus::Term> known_value(calculus::Term a, const ElementLookup& element,
                                          const SymbolRanges& ranges, bool& may_wrap);

// Number of elementary steps that evaluating the term once takes, all folds unrolled; empty when an extent is
// not an integer. Saturates at `limit`.
std::optional<std::int64_t> steps(calculus::Term a, std::int64_t limit);

}  // namespace hallmark::operators
