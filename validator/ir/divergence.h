// Where the lanes of a warp may come together from different ways.
//
// A branch may part the lanes when its condition can differ between them: it follows from a thread's number,
// a load, another lane's value, or a block parameter at such a place. It does not part them where one of its
// ways leads, without another branch, to an instruction that all lanes execute together (obligation
// `shuffle`): then all of them went there. Joins by label propagation as in "sync dependence" (Rosemann,
// Moll, Hack: An Abstract Interpretation for SPMD Divergence on Reducible Control Flow Graphs, POPL 2021,
// section 5).
#pragma once
#include <set>

#include "validator/ir/kernel.h"

namespace hallmark::validator::ir {

// Blocks whose parameters may have come along different edges, or after different numbers of rounds, in lanes
// of one warp. `together`: blocks with instructions that the whole warp executes together.
std::set<BlockId> diverging_joins(const Kernel& kernel, const std::set<BlockId>& together);

}  // namespace hallmark::validator::ir
