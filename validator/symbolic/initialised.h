// Whether a place of shared or global memory has been written by its block by the time it is read, where the
// newest writer is not known: arrays that a loop carries from one iteration to the next, and those that
// atomics change. Once written, always written: any store that comes before the read will do, of another
// thread behind a barrier, in the same iteration of the loops around both, in the one before, or in a loop
// that has ended.
#pragma once
#include "validator/symbolic/prover.h"
#include "validator/symbolic/trace.h"

namespace hallmark::validator {

// Over the whole trace of a kernel. The claims it rests on are in the prover's log.
bool written_before(const Trace& trace, const plan::KernelSpec& spec, Prover& prover, const Event& read);

}  // namespace hallmark::validator
