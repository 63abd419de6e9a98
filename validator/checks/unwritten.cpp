#include "validator/checks/unwritten.h"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "validator/checks/examine.h"
#include "validator/checks/separation.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Term;

namespace {

class Search {
 public:
  Search(const Trace& trace, const plan::KernelSpec& spec, Prover& prover)
      : trace_(trace), spec_(spec), prover_(prover), separation_(trace, prover) {}

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

  // Whether what the load's own thread stored is the newest of what anybody stored there.
  bool newest(int load) {
    const OwnWrite& own = *event(load).own_write;
    for (std::size_t s = 0; s < trace_.events.size(); ++s) {
      const Event& store = event(static_cast<int>(s));
      if (store.kind != Event::Kind::store && store.kind != Event::Kind::atomic) continue;
      if (store.memory >= 0 && store.memory != event(load).memory) continue;
      if (store.memory < 0 || store.kind == Event::Kind::atomic) return false;
      const int id = static_cast<int>(s);
      if (!of_the_own_thread(id, load)) return false;
      if (id == own.store ? !in_that_iteration(own, load) : !outside(id, own.store, load)) return false;
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

  // Facts about an instance of the store, as renamed, that reaches the place of the load.
  std::vector<Term> at_one_place(int s, const calculus::Substitution& rename, int l) {
    std::vector<Term> facts = event(l).scope->facts();
    for (Term fact : event(s).scope->facts()) facts.push_back(calculus::substitute(fact, rename));
    for (Term fact : separation_.same_place(s, rename, l, {})) facts.push_back(fact);
    return facts;
  }

  // Whoever's store reaches the place is the thread that loads.
  bool of_the_own_thread(int s, int l) {
    const Event& store = event(s);
    const calculus::Substitution rename =
        other_thread(trace_, store.scope->facts(), {store.offset}, true, {});
    std::vector<Term> same;
    for (int d = 0; d < 3; ++d)
      for (const auto& [symbol, extent] : {std::pair(thread_symbol(d), block_extent(spec_, d)),
                                           std::pair(block_symbol(d), grid_extent(spec_, d))}) {
        if (extent == calculus::integer(1)) continue;
        const auto other = rename.find(symbol);
        if (other == rename.end()) return false;  // every thread does it
        same.push_back(calculus::equal(other->second, symbol));
      }
    return prover_.rely(Context::make(at_one_place(s, rename, l)), calculus::conjunction(same));
  }

  std::vector<int> common_loops(std::initializer_list<int> events) const {
    std::vector<int> out = event(*events.begin()).loops;
    for (int id : events) {
      const std::vector<int>& loops = event(id).loops;
      std::size_t n = 0;
      while (n < std::min(out.size(), loops.size()) && out[n] == loops[n]) ++n;
      out.resize(n);
    }
    return out;
  }

  // Over at least one edge, or further on in one node, without the back edges of these loops.
  bool precedes(int first, int second, const std::vector<int>& loops) const {
    if (event(first).node == event(second).node && first < second) return true;
    for (const TraceEdge& edge : trace_.nodes[static_cast<std::size_t>(event(first).node)].successors) {
      const bool cut = edge.kind == TraceEdge::Kind::back &&
                       std::find(loops.begin(), loops.end(), edge.loop) != loops.end();
      if (!cut && reaches(edge.to, event(second).node, loops)) return true;
    }
    return false;
  }

  // Of the instances of the own store that reach the place, in the iterations that it and the load have in
  // common, the one that was found is the only one. In earlier iterations of those it is older, in later ones
  // the load is over.
  bool in_that_iteration(const OwnWrite& own, int l) {
    const std::vector<int> common = common_loops({own.store, l});
    if (!precedes(own.store, l, common)) return false;
    if (own.iterations.empty()) return true;
    const calculus::Substitution rename = own_instance(own.store, iterations_of(common));
    std::vector<Term> same;
    for (const auto& [iteration, found] : own.iterations) {
      const auto other = rename.find(iteration);
      if (other == rename.end()) return false;  // every iteration does it
      same.push_back(calculus::equal(other->second, found));
    }
    return prover_.rely(Context::make(at_one_place(own.store, rename, l)), calculus::conjunction(same));
  }

  // Another store of the same thread does not come between the own one and the load.
  bool outside(int s, int own, int l) {
    const std::vector<int> common = common_loops({s, own, l});
    if (!precedes(own, s, common) || !precedes(s, l, common)) return true;
    // In an earlier iteration of a loop around both it and the load, or in the same one and before it.
    const std::vector<int> around = common_loops({s, l});
    for (std::size_t d = common.size(); d < around.size(); ++d) {
      const calculus::Substitution rename =
          own_instance(s, iterations_of({around.begin(), around.begin() + static_cast<std::ptrdiff_t>(d)}));
      const Term it = trace_.loops[static_cast<std::size_t>(around[d])].iteration;
      const auto other = rename.find(it);
      if (other == rename.end()) return false;  // every iteration does it
      std::vector<Term> facts = at_one_place(s, rename, l);
      facts.push_back(calculus::less(other->second, it));
      if (!prover_.rely(Context::make(facts), calculus::truth(false))) return false;
    }
    return !precedes(s, l, around) ||
           prover_.rely(Context::make(at_one_place(s, own_instance(s, iterations_of(around)), l)),
                        calculus::truth(false));
  }

  std::vector<Term> iterations_of(const std::vector<int>& loops) const {
    std::vector<Term> out;
    for (int loop : loops) out.push_back(trace_.loops[static_cast<std::size_t>(loop)].iteration);
    return out;
  }

  // Names for another instance of the store by the same thread, in these iterations.
  calculus::Substitution own_instance(int s, const std::vector<Term>& iterations) const {
    calculus::Substitution out =
        other_thread(trace_, event(s).scope->facts(), {event(s).offset}, false, iterations);
    for (int d = 0; d < 3; ++d) out.erase(thread_symbol(d));
    return out;
  }

  const Trace& trace_;
  const plan::KernelSpec& spec_;
  Prover& prover_;
  Separation separation_;
};

}  // namespace

Doubts possibly_written(const Trace& trace, const plan::KernelSpec& spec, Prover& prover) {
  Doubts out;
  std::optional<Search> search;
  for (std::size_t l = 0; l < trace.events.size(); ++l) {
    const Event& load = trace.events[l];
    if (load.kind != Event::Kind::load || !(load.taken_for_initial || load.own_write)) continue;
    std::set<const ir::Instruction*>& doubted = load.own_write ? out.own_write : out.initial;
    if (doubted.count(load.instruction) != 0) continue;
    if (!search) search.emplace(trace, spec, prover);
    const int id = static_cast<int>(l);
    if (load.own_write ? !search->newest(id) : !search->unwritten(id)) doubted.insert(load.instruction);
  }
  return out;
}

}  // namespace hallmark::validator
