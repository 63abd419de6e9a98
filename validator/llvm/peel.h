// Loops of constant length around computed indices into a local array (the accumulators of a register tile)
// are written out, so that the indices become constants and the array's elements can become values.
//
// The iterations are peeled off in front of the loop, which stays behind them: how many are peeled is a guess
// and changes no meaning. Then operations of constants are replaced by their results, except where a signed
// result overflows or a result is poison, and branches on constants become jumps; with a right guess nothing
// reaches what was left of the loop. Nothing here relies on undefined behaviour not occurring.
#pragma once
#include <llvm/IR/Function.h>

namespace hallmark::validator::source {

// One innermost such loop. Whether there may be another; false also when the loop was not used up.
bool peel_around_local_arrays(llvm::Function& function);

}  // namespace hallmark::validator::source
