// The comments that tell a person what a kernel computes.
#pragma once
#include <string>
#include <vector>

#include "calculus/program.h"

namespace hallmark::lowering {

// "// NAME[i0 < 4, i1 < 8] of ORIGIN = TERM" in the notation of calculus/text, broken at 108 columns.
// Whatever stands in names and origins, the lines stay comments: characters other than printable ASCII, and
// backslashes (which would join the next line to a comment), are written as '?'.
std::vector<std::string> definition_comment(const calculus::Program& formulation,
                                            const calculus::Definition& definition);
std::string harmless(std::string_view text);

}  // namespace hallmark::lowering
