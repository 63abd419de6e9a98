// What the first model's definitions compute of constants alone, inside their bodies: the `sqrt(v[i] + e)` of
// a BatchNormalization. A compiler that folds constants stores what it makes of them.
#pragma once
#include <vector>

#include "compare/pair.h"

namespace hallmark::compare {

// Each greatest part of reals that reads constants at indices of the definition alone and computes something,
// as a definition over those of its axes that occur; none twice. Axes have literal extents. At most 64.
std::vector<calculus::Definition> closed_parts(const Pair& pair);

// The term with every load of a part replaced by what the part is.
calculus::Term with_parts(calculus::Term body, const std::vector<calculus::Definition>& parts);

}  // namespace hallmark::compare
