// Threads that end before a barrier at which others of their block wait. They count as arrived (sm_70 and
// later), but leaving orders nothing: what such a thread did since its last barrier is concurrent with all
// that the others do after the one that it missed.
#pragma once
#include <vector>

#include "validator/symbolic/trace.h"

namespace hallmark::validator {

// An edge from a node that reaches the barrier to one that does not, and from which no barrier is met:
// whoever takes it ends. A thread that turned away earlier and may wait at another barrier has not left.
// Edges inside loops are not listed, so that nobody is said to have left who may still arrive.
struct Departure {
  int from = 0, to = 0;                // nodes
  calculus::Term condition = nullptr;  // holds, with Trace::base, for the threads that take it
};
std::vector<Departure> departures(const Trace& trace, int barrier_node);

// Events since the last barrier of a thread that takes the departure, until its end.
std::vector<int> last_events(const Trace& trace, const Departure& departure);
// Events that other threads may come to after the barrier event at this position of the node.
std::vector<int> events_after(const Trace& trace, int node, std::size_t position);

}  // namespace hallmark::validator
