// What a thread reads of an output that it has written itself: the exponentials of a softmax that are summed
// and divided where they lie.
//
// The store is found among those that have been executed so far, in the same iterations of the loops around
// both, and of a loop that has ended in the iteration that wrote the place. That no other store comes
// between, of whatever thread, is shown when all stores of the kernel are known
// (validator/checks/unwritten.h).
#pragma once
#include <optional>

#include "validator/symbolic/prover.h"
#include "validator/symbolic/trace.h"

namespace hallmark::validator {

struct FoundWrite {
  OwnWrite write;
  Value value;
};

// Claims that the store is made, and writes the place that is read, go to the prover's log.
std::optional<FoundWrite> find_own_write(const Trace& trace, const Event& read, Prover& prover);

}  // namespace hallmark::validator
