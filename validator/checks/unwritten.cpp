#include "validator/checks/unwritten.h"

#include <algorithm>
#include <set>

#include "validator/checks/examine.h"
#include "validator/checks/separation.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Term;

namespace {

class Search {
 public:
  Search(const Trace& trace, Prover& prover) : trace_(trace), prover_(prover), separation_(trace, prover) {}

  bool unwritten(int load) {
    for (std::size_t s = 0; s < trace_.events.size(); ++s) {
      const Event& store = event(static_cast<int>(s));
      if (store.kind != Event::Kind::store && store.kind != Event::Kind::atomic) continue;
      if (store.memory >= 0 && store.memory != event(load).memory) continue;
      if (store.memory < 0) return false;
      if (!apart(static_cast<int>(s), load)) return false;
    }
    return true;
  }

 private:
  const Event& event(int id) const { return trace_.events[static_cast<std::size_t>(id)]; }

  // Does a path lead from the one node to the other, without the back edges of these loops? A node reaches
  // itself: the order of its events is looked at by the caller.
  bool reaches(int from, int to, const std::vector<int>& without_back_edges) const {
    std::set<int> seen{from};
    std::vector<int> work{from};
    while (!work.empty()) {
      const int node = work.back();
      work.pop_back();
      if (node == to) return true;
      for (const TraceEdge& edge : trace_.nodes[static_cast<std::size_t>(node)].successors) {
        const bool cut = edge.kind == TraceEdge::Kind::back &&
                         std::find(without_back_edges.begin(), without_back_edges.end(), edge.loop) !=
                             without_back_edges.end();
        if (!cut && seen.insert(edge.to).second) work.push_back(edge.to);
      }
    }
    return false;
  }

  bool barrier_between(const Event& store, const Event& load) const {
    for (const Event& e : trace_.events)
      if (e.kind == Event::Kind::barrier && reaches(store.node, e.node, {}) && reaches(e.node, load.node, {}))
        return true;
    return false;
  }

  // Whatever instance of the store comes before an instance of the load is at another place.
  bool apart(int s, int l) {
    const Event &store = event(s), &load = event(l);
    if (barrier_between(store, load)) return never_at_one_place(s, l, {}, false);
    std::vector<int> common;
    for (std::size_t d = 0; d < std::min(store.loops.size(), load.loops.size()); ++d) {
      if (store.loops[d] != load.loops[d]) break;
      common.push_back(store.loops[d]);
    }
    // Earlier in a common loop, with equal iterations of the loops around it.
    for (std::size_t d = 0; d < common.size(); ++d)
      if (!never_at_one_place(s, l, {common.begin(), common.begin() + static_cast<std::ptrdiff_t>(d) + 1},
                              true))
        return false;
    // In the same iterations, before it in the text.
    const bool first = store.node == load.node ? s < l : reaches(store.node, load.node, common);
    return !first || never_at_one_place(s, l, common, false);
  }

  // `loops`: iterations that the two have in common; with `earlier` the store's iteration of the last is
  // less. With a barrier between them `loops` is empty and the store may be any thread's of the block.
  bool never_at_one_place(int s, int l, const std::vector<int>& loops, bool earlier) {
    const Event &store = event(s), &load = event(l);
    const bool any_thread = barrier_between(store, load);
    std::vector<Term> shared;
    for (std::size_t d = 0; d + (earlier ? 1 : 0) < loops.size(); ++d)
      shared.push_back(trace_.loops[static_cast<std::size_t>(loops[d])].iteration);
    calculus::Substitution rename = other_thread(trace_, store.scope->facts(), {store.offset}, false, shared);
    if (!any_thread)
      for (int d = 0; d < 3; ++d) rename.erase(thread_symbol(d));
    std::vector<Term> facts = load.scope->facts();
    for (Term fact : store.scope->facts()) facts.push_back(calculus::substitute(fact, rename));
    if (earlier) {
      const Term it = trace_.loops[static_cast<std::size_t>(loops.back())].iteration;
      const auto renamed = rename.find(it);
      // An iteration that no fact mentions tells the two apart by nothing.
      if (renamed == rename.end()) return false;
      facts.push_back(calculus::less(renamed->second, it));
    }
    for (Term fact : separation_.same_place(s, rename, l, {})) facts.push_back(fact);
    return prover_.rely(Context::make(facts), calculus::truth(false));
  }

  const Trace& trace_;
  Prover& prover_;
  Separation separation_;
};

}  // namespace

std::set<const ir::Instruction*> possibly_written(const Trace& trace, Prover& prover) {
  std::set<const ir::Instruction*> out;
  std::optional<Search> search;
  for (std::size_t l = 0; l < trace.events.size(); ++l) {
    const Event& load = trace.events[l];
    if (load.kind != Event::Kind::load || !load.taken_for_initial) continue;
    if (out.count(load.instruction) != 0) continue;
    if (!search) search.emplace(trace, prover);
    if (!search->unwritten(static_cast<int>(l))) out.insert(load.instruction);
  }
  return out;
}

}  // namespace hallmark::validator
