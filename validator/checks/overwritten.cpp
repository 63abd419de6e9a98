// Stores whose value nobody sees: the same thread writes the same place again later on.
//
// The last store to a place is then never one of them, whichever threads write it and in whichever order:
// behind it, its own thread would write once more. So `value` asks of the others alone that they leave what
// the specification says. That a store happens wherever its facts hold is what coverage rests on, too.
#include <set>

#include "validator/checks/examine.h"
#include "validator/checks/specification.h"
#include "validator/symbolic/invert.h"
#include "validator/symbolic/writers.h"

namespace hallmark::validator {

using calculus::Term;

namespace {

// Whether some path leads from one node to another, along at least one edge.
bool leads_to(const Trace& trace, int from, int to) {
  std::set<int> seen;
  std::vector<int> pending{from};
  while (!pending.empty()) {
    const int node = pending.back();
    pending.pop_back();
    for (const TraceEdge& edge : trace.nodes[static_cast<std::size_t>(node)].successors) {
      if (edge.to == to) return true;
      if (seen.insert(edge.to).second) pending.push_back(edge.to);
    }
  }
  return false;
}

}  // namespace

bool Examiner::overwritten(const Event& store) {
  const Memory& memory = trace_.memories[static_cast<std::size_t>(store.memory)];
  if (store.kind != Event::Kind::store || memory.space != ir::Space::global) return false;
  Arithmetic arithmetic(prover_, true);
  for (const Event& later : trace_.events) {
    if (&later == &store || later.kind != Event::Kind::store || later.memory != store.memory ||
        later.bytes != store.bytes)
      continue;
    // Every execution of the one is before every execution of the other.
    if (later.node == store.node
            ? (&later < &store || leads_to(trace_, store.node, store.node))
            : (!leads_to(trace_, store.node, later.node) || leads_to(trace_, later.node, store.node)))
      continue;
    if (const Integer* apart = calculus::as_integer(calculus::subtract(later.offset, store.offset));
        apart != nullptr && *apart != 0)
      continue;
    std::vector<Term> iterations;
    for (int loop : later.loops) iterations.push_back(trace_.loops[static_cast<std::size_t>(loop)].iteration);
    const std::size_t mark = prover_.mark();
    const auto when = invert(later.offset, iterations, later.scope->facts(), store.offset, store.scope,
                             arithmetic, {false});
    if (!when) continue;
    std::vector<Term> claims{calculus::equal(
        simplify(calculus::substitute(later.offset, *when), store.scope, arithmetic), store.offset)};
    for (Term fact : later.scope->facts()) {
      const Term there = simplify(calculus::substitute(fact, *when), store.scope, arithmetic);
      if (!store.scope->knows(there)) claims.push_back(there);
    }
    if (prover_.rely(store.scope, calculus::conjunction(claims))) return true;
    prover_.rewind(mark);
  }
  return false;
}

}  // namespace hallmark::validator
