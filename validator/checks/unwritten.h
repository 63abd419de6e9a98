// Loads from a buffer that the kernel writes as well. The execution takes each for the buffer's content
// before the launch; here that is shown, or the load is named so that the execution can take it for an
// unknown value.
//
// A load sees the content from before the launch when no store of the launch reaches it. Stores of other
// threads that no barrier orders before the load are races, and excluded by those obligations. What is left:
// earlier stores of the same thread, and stores of any thread of the block with a barrier between the two.
//
// A load sees what an earlier store of its own thread left (Event::own_write) when every store of the launch
// that reaches the place is one of that thread, and none of them comes between the two.
#pragma once
#include "plan/kernel_spec.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

// The instructions of loads for which it is not shown. On the others rest claims that are now in the log.
Doubts possibly_written(const Trace& trace, const plan::KernelSpec& spec, Prover& prover);

}  // namespace hallmark::validator
