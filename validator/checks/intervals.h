// A walk over the graph of barrier intervals: which accesses a path without a barrier leads to, and in which
// iterations of loops (soundness C1).
#pragma once
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "validator/checks/examine.h"

namespace hallmark::validator {

// Iteration of a loop relative to a place where it is known, such as the common barrier: 0, 1, ...: that many
// later; later_iteration: some later one than these; first_iteration + n: number n of the visit;
// any_iteration: not tied to anything.
inline constexpr int later_iteration = 50, first_iteration = 100, any_iteration = 1000;
using Iterations = std::map<int, int>;

struct Access {
  int event;
  Iterations iterations;
  Iterations left;  // loops around the start that the path has left: in which iteration
  bool operator<(const Access& o) const {
    return std::tie(event, iterations, left) < std::tie(o.event, o.iterations, o.left);
  }
};

// What holds on every path to a place: conditions of edges outside all loops, which hold for the threads that
// take them and no others.
using Conditions = std::set<calculus::Term, calculus::TermLess>;

struct Walk {
  Iterations iterations, left;
  bool operator<(const Walk& o) const { return std::tie(iterations, left) < std::tie(o.iterations, o.left); }
};
// The walk goes over an edge. `known`: loops whose iterations are counted from the start; `rounds`: how many
// later iterations are told apart. With one round what follows them is any iteration, otherwise a later one.
void pass(const Trace& trace, const TraceEdge& edge, const Iterations& known, int rounds, Walk& walk);

// The accesses that a path without a barrier leads to from before this event of the node, and what holds on
// all such paths.
std::map<Access, Conditions> reachable(const Trace& trace, int node, std::size_t position,
                                       const Iterations& start, int rounds = 1);

bool is_access(const Event& event);
// Two threads may touch one memory by these, at least one of them writing, and nothing in the accesses
// themselves orders the two.
bool conflict(const Trace& trace, const Event& a, const Event& b, bool two_blocks = false);
bool may_be_in_one_memory(const Trace& trace, const Event& a, const Event& b);
// Shared or local memory that an address, known or not, certainly lies in; generic: not known.
ir::Space confined_to(const Event& event);

// What belongs to an access in these iterations, by their names: iterations that are not tied to anything,
// and running values of loops, end in the suffix.
calculus::Substitution placed(const Trace& trace, const Iterations& iterations, const char* suffix);
void name_apart(const Event& event, const Iterations& iterations, const char* suffix,
                calculus::Substitution& names);
// A loop that is left makes no more rounds; and a later iteration is later than `rounds` are.
std::vector<calculus::Term> ended(const Trace& trace, const Iterations& left, const char* suffix,
                                  int rounds = 1);
std::vector<calculus::Term> later(const Trace& trace, const Iterations& iterations, const char* suffix,
                                  int rounds);

}  // namespace hallmark::validator
