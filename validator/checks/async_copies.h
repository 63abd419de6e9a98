// What may happen while an asynchronous copy is under way, from its issue to the wait of its thread that
// covers it (PTX ISA 9.7.9.27). The trace has the copy where it is issued. It is as good as any other moment
// if until then its bytes are touched by nobody: not by its own thread, which has not waited, and not by
// others, for whom a barrier after the wait has to come in between.
#pragma once
#include <vector>

#include "validator/checks/examine.h"

namespace hallmark::validator {

struct CopiesUnderWay {
  // A copy (first) and accesses of another thread of the block in an interval after that of its issue, which
  // interval_pairs() has. `origin`: what the barrier before the access says.
  std::vector<AccessPair> others;
  // A copy and what its own thread does (second) before it waits; among it other copies.
  std::vector<AccessPair> own;
  // A copy and a place where its thread ends without having waited.
  std::vector<AccessPair> ends;
};
// Throws Refusal E4014 where there are more pairs than can be compared.
CopiesUnderWay copies_under_way(const Trace& trace);

}  // namespace hallmark::validator
