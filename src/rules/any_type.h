// Law EXT and HOIST: equality of two terms by structure, indices compared by the oracle.
#pragma once
#include "rules/oracle.h"

namespace hallmark::rules {

// True when both terms perform the same operations on the same elements under the facts.
bool same_operations(Term left, Term right, const Facts& facts, Oracle& oracle);

}  // namespace hallmark::rules
