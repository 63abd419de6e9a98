// Index terms over symbols as text, for launch plans: "2*m*n + floor(k / 16) - 1". Reads back to the same
// term.
#pragma once
#include <string>
#include <string_view>

#include "calculus/term.h"

namespace hallmark::plan {

// Sums of products of integers, names, floor(p / q), min(p, q, ..), max(p, q, ..). Throws InternalError for
// any other term (axes, loads, selects): a launch plan has none.
std::string index_text(calculus::Term term);
// Throws UserError E7101 with the column.
calculus::Term parse_index(std::string_view text);

}  // namespace hallmark::plan
