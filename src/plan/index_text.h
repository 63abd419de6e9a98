// Index terms over symbols in the notation of calculus/text, for launch plans: "2 * m * n + k / 16 - 1".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "calculus/program.h"

namespace hallmark::plan {

// Throws InternalError for a term that mentions anything but symbols (axes, loads).
std::string index_text(calculus::Term term);
// Reads an index term over the given symbols. Throws UserError (E11xx of calculus/text) for anything else.
calculus::Term parse_index(std::string_view text, const std::vector<calculus::SymbolRange>& symbols);

}  // namespace hallmark::plan
