#include "validator/symbolic/initialised.h"

#include <algorithm>
#include <map>
#include <set>

#include "validator/symbolic/executor.h"
#include "validator/symbolic/invert.h"
#include "validator/symbolic/writers.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

bool among(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Where the store stands to the read: in the same iteration of the loops around both, or in the iteration
// before of one of them, and then in any iteration of the loops inside that one.
struct Instance {
  std::vector<int> same;  // loops in whose iteration both are
  int before = -1;        // the loop of which the store's iteration is the one before
};

class Search {
 public:
  Search(const Trace& trace, const plan::KernelSpec& spec, Prover& prover, const Event& read)
      : trace_(trace), spec_(spec), prover_(prover), read_(read) {}

  bool run() {
    std::vector<Term> conditions;
    for (const Event& store : trace_.events) {
      if (store.kind != Event::Kind::store || store.memory != read_.memory || store.bytes != read_.bytes)
        continue;
      // What a loop of unknown length does is known of no iteration.
      if (std::any_of(store.loops.begin(), store.loops.end(), [&](int loop) {
            return trace_.loops[static_cast<std::size_t>(loop)].trips == nullptr;
          }))
        continue;
      std::vector<int> common;
      for (int loop : store.loops)
        if (among(read_.loops, loop)) common.push_back(loop);
      std::vector<Instance> instances{{common, -1}};
      for (std::size_t n = common.size(); n-- > 0;)
        instances.push_back({{common.begin(), common.begin() + static_cast<std::ptrdiff_t>(n)}, common[n]});
      for (const Instance& instance : instances) {
        const Order order = order_of(store, instance);
        if (order == Order::none) continue;
        const Term condition = order == Order::behind_a_barrier ? written_by(store, instance)
                                                                : written_by_itself(store, instance);
        if (condition == nullptr || condition == calculus::truth(false)) continue;
        conditions.push_back(condition);
        if (prover_.rely(read_.scope, calculus::disjunction(conditions))) return true;
      }
    }
    return false;
  }

 private:
  enum class Order { none, in_one_thread, behind_a_barrier };

  // Some path leads from the store to the read; whether each of them passes a barrier. A loop's back edge is
  // taken once, where the store is in the iteration before, and never where both are in one iteration; loops
  // inside are free.
  Order order_of(const Event& store, const Instance& instance) const {
    struct State {
      int node;
      bool turned;  // the back edge was taken
      bool waited;  // a barrier was passed
      bool operator<(const State& o) const {
        return std::tie(node, turned, waited) < std::tie(o.node, o.turned, o.waited);
      }
    };
    bool found = false, bare = false;
    std::set<State> seen;
    std::vector<State> work;
    const auto walk = [&](int node, std::size_t from, bool turned, bool waited) {
      const TraceNode& here = trace_.nodes[static_cast<std::size_t>(node)];
      for (std::size_t i = from; i < here.events.size(); ++i) {
        const Event& event = trace_.events[static_cast<std::size_t>(here.events[i])];
        if (&event == &read_ && turned == (instance.before >= 0)) (waited ? found : bare) = true;
        if (event.kind == Event::Kind::barrier) waited = true;
      }
      for (const TraceEdge& edge : here.successors) {
        bool next = turned;
        if (edge.kind == TraceEdge::Kind::back) {
          if (among(instance.same, edge.loop) || (edge.loop == instance.before && turned)) continue;
          if (edge.loop == instance.before) next = true;
        }
        if (edge.kind == TraceEdge::Kind::leave_loop &&
            (among(instance.same, edge.loop) || edge.loop == instance.before))
          continue;  // the read is inside
        if (seen.insert({edge.to, next, waited}).second) work.push_back({edge.to, next, waited});
      }
    };
    const TraceNode& start = trace_.nodes[static_cast<std::size_t>(store.node)];
    std::size_t position = 0;
    while (position < start.events.size() &&
           &trace_.events[static_cast<std::size_t>(start.events[position])] != &store)
      ++position;
    if (position == start.events.size()) return Order::none;
    walk(store.node, position + 1, false, false);
    while (!work.empty()) {
      const State at = work.back();
      work.pop_back();
      walk(at.node, 0, at.turned, at.waited);
    }
    if (bare) return Order::in_one_thread;
    return found && !may_meet(store, instance) ? Order::behind_a_barrier : Order::none;
  }

  // How many iterations a place is ahead of the store's, for each of the instance's loops.
  using Ahead = std::map<int, int>;
  static constexpr int anywhere = 99, farthest = 2;  // beyond it, or in a loop entered anew: in any iteration

  static void shift(Ahead& ahead, int loop, int by) {
    const auto at = ahead.find(loop);
    if (at == ahead.end() || at->second == anywhere) return;
    at->second += by;
    if (at->second > farthest || at->second < -farthest) at->second = anywhere;
  }

  // Whoever leaves a loop comes back to it, and to those inside, only in another round of what is around it.
  void forget(Ahead& ahead, int left) const {
    for (auto& [loop, count] : ahead)
      if (inside_of(loop, left)) count = anywhere;
  }

  // Whether a thread that comes from where the writer's interval began may be at the read before any barrier:
  // then the read may come before the store, whatever the writer's own path passes. Threads of a block are in
  // one interval together, since all of them come to the same barriers (an obligation of its own).
  bool may_meet(const Event& store, const Instance& instance) const {
    struct State {
      int node;
      std::size_t position;
      Ahead ahead;
      bool operator<(const State& o) const {
        return std::tie(node, position, ahead) < std::tie(o.node, o.position, o.ahead);
      }
    };
    Ahead here, wanted;
    for (int loop : instance.same) here[loop] = wanted[loop] = 0;
    if (instance.before >= 0) {
      here[instance.before] = 0;
      wanted[instance.before] = 1;
    }
    const auto is_barrier = [&](int id) {
      return trace_.events[static_cast<std::size_t>(id)].kind == Event::Kind::barrier;
    };
    // Back to where the interval began.
    const auto& own = trace_.nodes[static_cast<std::size_t>(store.node)].events;
    std::size_t position = 0;
    while (&trace_.events[static_cast<std::size_t>(own[position])] != &store) ++position;
    std::set<State> seen, starts;
    std::vector<State> work{{store.node, position, here}};
    while (!work.empty()) {
      const State at = work.back();
      work.pop_back();
      if (!seen.insert(at).second) continue;
      const TraceNode& node = trace_.nodes[static_cast<std::size_t>(at.node)];
      std::size_t begin = at.position;
      while (begin > 0 && !is_barrier(node.events[begin - 1])) --begin;
      if (begin > 0 || node.predecessors.empty()) {
        starts.insert({at.node, begin, at.ahead});
        continue;
      }
      for (int from : node.predecessors)
        for (const TraceEdge& edge : trace_.nodes[static_cast<std::size_t>(from)].successors) {
          if (edge.to != at.node) continue;
          State next{from, trace_.nodes[static_cast<std::size_t>(from)].events.size(), at.ahead};
          if (edge.kind == TraceEdge::Kind::back) shift(next.ahead, edge.loop, -1);
          if (edge.kind == TraceEdge::Kind::leave_loop) forget(next.ahead, edge.loop);
          work.push_back(std::move(next));
        }
    }
    // And on from there without a barrier.
    seen.clear();
    work.assign(starts.begin(), starts.end());
    while (!work.empty()) {
      const State at = work.back();
      work.pop_back();
      if (!seen.insert(at).second) continue;
      const TraceNode& node = trace_.nodes[static_cast<std::size_t>(at.node)];
      bool stopped = false;
      for (std::size_t i = at.position; i < node.events.size() && !stopped; ++i) {
        if (&trace_.events[static_cast<std::size_t>(node.events[i])] == &read_ &&
            std::all_of(wanted.begin(), wanted.end(), [&](const auto& loop) {
              const int is = at.ahead.at(loop.first);
              return is == anywhere || is == loop.second;
            }))
          return true;
        stopped = is_barrier(node.events[i]);
      }
      if (stopped) continue;
      for (const TraceEdge& edge : node.successors) {
        State next{edge.to, 0, at.ahead};
        if (edge.kind == TraceEdge::Kind::back) shift(next.ahead, edge.loop, 1);
        if (edge.kind == TraceEdge::Kind::leave_loop) forget(next.ahead, edge.loop);
        work.push_back(std::move(next));
      }
    }
    return false;
  }

  // The loop itself, or one inside it.
  bool inside_of(int loop, int outer) const {
    for (int l = loop; l >= 0; l = trace_.loops[static_cast<std::size_t>(l)].parent)
      if (l == outer) return true;
    return false;
  }

  // The thread's own store in the same iteration needs no barrier.
  Term written_by_itself(const Event& store, const Instance& instance) const {
    if (instance.before >= 0 || instance.same.size() != store.loops.size()) return nullptr;
    std::vector<Term> parts;
    for (Term fact : store.scope->facts())
      if (!read_.scope->knows(fact)) parts.push_back(fact);
    parts.push_back(calculus::equal(store.offset, read_.offset));
    return calculus::conjunction(parts);
  }

  // When the store writes what is read: a condition over the read. What belongs to the store's own execution
  // has names of its own, other ones for each store and instance: conditions of several are joined, and what
  // one thread computed is not what another did.
  Term written_by(const Event& store, const Instance& instance) {
    const std::string mark = "~" + std::to_string(named_++);
    calculus::Substitution names;
    std::vector<Term> unknowns;
    for (int d = 0; d < 3; ++d)
      if (block_extent(spec_, d) != calculus::integer(1)) unknowns.push_back(thread_symbol(d));
    for (int loop : store.loops) {
      const Term it = trace_.loops[static_cast<std::size_t>(loop)].iteration;
      if (among(instance.same, loop)) {
        names[it] = it;
      } else if (loop == instance.before) {
        names[it] = calculus::subtract(it, calculus::integer(1));
      } else {
        names[it] = calculus::variable(it->name + mark);
        unknowns.push_back(names[it]);
      }
    }
    const auto see = [&](Term term) {
      if (!term->has_variables) return;
      calculus::for_each_node(term, [&](Term node) {
        if (node->kind == Kind::variable)
          names.try_emplace(node, calculus::variable(node->name + mark, node->sort));
      });
    };
    for (Term fact : store.scope->facts()) see(fact);
    see(store.offset);
    std::vector<Term> facts;
    for (Term fact : store.scope->facts()) facts.push_back(calculus::substitute(fact, names));
    const Term offset = calculus::substitute(store.offset, names);
    Arithmetic arithmetic(prover_, true);
    const auto inverse = invert(offset, unknowns, facts, read_.offset, read_.scope, arithmetic);
    if (!inverse) return nullptr;
    std::vector<Term> parts;
    for (Term fact : facts) {
      const Term there = simplify(calculus::substitute(fact, *inverse), read_.scope, arithmetic);
      if (!read_.scope->knows(there)) parts.push_back(there);
    }
    parts.push_back(calculus::equal(simplify(calculus::substitute(offset, *inverse), read_.scope, arithmetic),
                                    read_.offset));
    return calculus::conjunction(parts);
  }

  const Trace& trace_;
  const plan::KernelSpec& spec_;
  Prover& prover_;
  const Event& read_;
  int named_ = 0;
};

}  // namespace

bool written_before(const Trace& trace, const plan::KernelSpec& spec, Prover& prover, const Event& read) {
  if (read.memory < 0 || read.offset == nullptr) return false;
  const ir::Space space = trace.memories[static_cast<std::size_t>(read.memory)].space;
  if (space != ir::Space::shared && space != ir::Space::global) return false;
  return Search(trace, spec, prover, read).run();
}

}  // namespace hallmark::validator
