// Stores whose value nobody sees, because the same thread writes the same place again later on: a zero that
// sums are added to, a default that a condition replaces.
//
// The last store to a place is then never one of them, whichever threads write it and in whichever order:
// behind it, its own thread would write once more. So `value` asks of the others alone that they leave what
// the specification says. That a store happens wherever its facts hold is what coverage rests on, too.
#include <algorithm>
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

// Whether all that is said of an event belongs to the thread and these iterations. What else has a name, like
// the running value of a loop, is another one at another execution.
bool speaks_of(const Event& event, const std::vector<Term>& iterations) {
  bool known = true;
  const auto look = [&](Term term) {
    calculus::for_each_node(term, [&](Term node) {
      known = known && (node->kind != calculus::Kind::variable ||
                        std::find(iterations.begin(), iterations.end(), node) != iterations.end());
    });
  };
  look(event.offset);
  for (Term fact : event.scope->facts()) look(fact);
  return known;
}

}  // namespace

bool Examiner::is_read(int memory) const {
  return std::any_of(trace_.events.begin(), trace_.events.end(), [&](const Event& event) {
    // Of these it was shown which store they see, or that they see none (unwritten.h).
    if (event.taken_for_initial || event.own_write) return false;
    return (event.kind == Event::Kind::load || event.kind == Event::Kind::atomic) &&
           (event.memory == memory || event.memory < 0);
  });
}

std::optional<calculus::Substitution> Examiner::later_execution(const Event& store, const Event& later,
                                                                Arithmetic& arithmetic) const {
  if (&later != &store && later.node == store.node && &later > &store && later.loops == store.loops)
    return calculus::Substitution{};  // in the same visit
  std::vector<Term> iterations;
  for (int loop : later.loops) iterations.push_back(trace_.loops[static_cast<std::size_t>(loop)].iteration);
  // A loop that may end early goes on less often than its facts say.
  const bool counted = std::all_of(later.loops.begin(), later.loops.end(), [&](int loop) {
    return trace_.loops[static_cast<std::size_t>(loop)].trips != nullptr;
  });
  if (!counted || !speaks_of(later, iterations)) return std::nullopt;
  if (&later == &store) {
    if (iterations.empty()) return std::nullopt;
    return calculus::Substitution{
        {iterations.back(), calculus::add(iterations.back(), calculus::integer(1))}};
  }
  // Every execution of the one is before every execution of the other.
  if (later.node == store.node || !leads_to(trace_, store.node, later.node) ||
      leads_to(trace_, later.node, store.node))
    return std::nullopt;
  return invert(later.offset, iterations, later.scope->facts(), store.offset, store.scope, arithmetic,
                {false});
}

std::optional<Scope> Examiner::where_last(const Event& store) {
  const Memory& memory = trace_.memories[static_cast<std::size_t>(store.memory)];
  if (store.kind != Event::Kind::store || memory.space != ir::Space::global) return store.scope;
  Arithmetic arithmetic(prover_, true);
  Scope scope = store.scope;
  for (const Event& later : trace_.events) {
    if (later.kind != Event::Kind::store || later.memory != store.memory || later.bytes != store.bytes)
      continue;
    if (const Integer* apart = calculus::as_integer(calculus::subtract(later.offset, store.offset));
        apart != nullptr && *apart != 0)
      continue;
    const std::size_t mark = prover_.mark();
    const auto when = later_execution(store, later, arithmetic);
    const auto there = [&](Term term) {
      return simplify(calculus::substitute(term, *when), store.scope, arithmetic);
    };
    if (!when || !prover_.rely(store.scope, calculus::equal(there(later.offset), store.offset))) {
      prover_.rewind(mark);
      continue;
    }
    std::vector<Term> open;
    for (Term fact : later.scope->facts())
      if (const Term claim = there(fact); !store.scope->knows(claim) && !prover_.rely(store.scope, claim))
        open.push_back(claim);
    if (open.empty()) return std::nullopt;
    scope = Context::extend(scope, calculus::negation(calculus::conjunction(open)));
  }
  return scope;
}

}  // namespace hallmark::validator
