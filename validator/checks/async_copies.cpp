#include "validator/checks/async_copies.h"

#include <algorithm>
#include <limits>

#include "validator/checks/intervals.h"

namespace hallmark::validator {

using calculus::Term;

namespace {

constexpr std::size_t most_pairs = 50000;
constexpr int most_rounds = 12;
// Copies that the thread has not committed yet.
constexpr int uncommitted = -1;

struct Point {
  int event;
  std::size_t position;  // among the events of its node
  Walk walk;
  bool operator<(const Point& o) const {
    return std::tie(event, position, walk) < std::tie(o.event, o.position, o.walk);
  }
};

// Where the copy's thread may be while the copy is under way, and what holds on every way there.
struct Reached {
  std::map<Point, Conditions> accesses, barriers, ends;
};

// False where nothing new was said.
template <class Key>
bool meet(std::map<Key, Conditions>& map, const Key& key, const Conditions& conditions) {
  const auto [at, fresh] = map.try_emplace(key, conditions);
  if (fresh) return true;
  return std::erase_if(at->second, [&](Term c) { return conditions.count(c) == 0; }) != 0;
}

class Search {
 public:
  explicit Search(const Trace& trace) : trace_(trace) {
    for (const Event& e : trace.events)
      if (e.kind == Event::Kind::wait && e.instruction->index != ir::none)
        longest_ = std::max(longest_, static_cast<int>(std::min<std::uint32_t>(
                                          e.instruction->index, std::numeric_limits<int>::max() / 2)));
  }
  // A wait for all but n groups covers copies of some n rounds of a loop.
  int rounds() const { return std::min(longest_ + 2, most_rounds); }

  Reached from(int copy) const {
    const Event& issued = event(copy);
    State start{issued.node, after_instruction(issued), {}, uncommitted};
    for (int loop : issued.loops) start.walk.iterations[loop] = 0;
    const Iterations known = start.walk.iterations;
    Reached out;
    std::map<State, Conditions> seen{{start, {}}};
    std::vector<State> work{start};
    while (!work.empty()) {
      State at = work.back();
      work.pop_back();
      const Conditions so_far = seen.at(at);
      if (!pass_events(at, so_far, out)) continue;
      for (const TraceEdge& edge : node(at.node).successors) {
        State next{edge.to, 0, at.walk, at.commits};
        pass(trace_, edge, known, rounds(), next.walk);
        Conditions conditions = so_far;
        if (edge.condition != nullptr) conditions.insert(edge.condition);
        if (meet(seen, next, conditions)) work.push_back(next);
      }
    }
    return out;
  }

 private:
  struct State {
    int node;
    std::size_t position;
    Walk walk;
    int commits;  // groups that were committed after the copy's own
    bool operator<(const State& o) const {
      return std::tie(node, position, walk, commits) < std::tie(o.node, o.position, o.walk, o.commits);
    }
  };
  const Event& event(int id) const { return trace_.events[static_cast<std::size_t>(id)]; }
  const TraceNode& node(int id) const { return trace_.nodes[static_cast<std::size_t>(id)]; }

  // The elements of one access are no accesses while it is under way.
  std::size_t after_instruction(const Event& issued) const {
    const auto& events = node(issued.node).events;
    std::size_t position = 0;
    for (std::size_t n = 0; n < events.size(); ++n)
      if (event(events[n]).instruction == issued.instruction) position = n + 1;
    return position;
  }

  // False where the copy has landed or the thread has ended.
  bool pass_events(State& at, const Conditions& conditions, Reached& out) const {
    const auto& events = node(at.node).events;
    for (; at.position < events.size(); ++at.position) {
      const Event& e = event(events[at.position]);
      const Point here{events[at.position], at.position, at.walk};
      switch (e.kind) {
        case Event::Kind::commit:
          at.commits = std::min(at.commits + 1, longest_ + 1);
          break;
        case Event::Kind::wait:
          if (e.instruction->index == ir::none) return false;
          if (at.commits != uncommitted && static_cast<std::uint32_t>(at.commits) >= e.instruction->index)
            return false;
          break;
        case Event::Kind::barrier:
          meet(out.barriers, here, conditions);
          break;
        case Event::Kind::leave:
          meet(out.ends, here, conditions);
          return false;
        case Event::Kind::warp:
          break;
        case Event::Kind::load:
        case Event::Kind::store:
        case Event::Kind::atomic:
          meet(out.accesses, here, conditions);
          break;
      }
    }
    return true;
  }

  const Trace& trace_;
  int longest_ = 0;
};

bool tied(const Iterations& iterations) {
  return std::none_of(iterations.begin(), iterations.end(), [](const auto& entry) {
    return entry.second == any_iteration || entry.second == later_iteration;
  });
}

}  // namespace

CopiesUnderWay copies_under_way(const Trace& trace) {
  CopiesUnderWay out;
  const Search search(trace);
  const auto event = [&](int id) -> const Event& { return trace.events[static_cast<std::size_t>(id)]; };
  const auto names = [&](const Event& e, const Iterations& iterations) {
    calculus::Substitution map = placed(trace, iterations, ">");
    name_apart(e, iterations, ">", map);
    return map;
  };
  const auto facts_of = [&](const Walk& walk, const Conditions& conditions, const char* suffix) {
    std::vector<Term> facts = ended(trace, walk.left, suffix, search.rounds());
    for (Term fact : later(trace, walk.iterations, suffix, search.rounds())) facts.push_back(fact);
    facts.insert(facts.end(), conditions.begin(), conditions.end());
    return facts;
  };
  const auto add = [&](std::vector<AccessPair>& to, AccessPair pair) {
    if (to.size() == most_pairs)
      throw Refusal("E4014", "more accesses while copies are under way than can be compared with them");
    to.push_back(std::move(pair));
  };
  Reached reached;
  for (int copy = 0; copy < static_cast<int>(trace.events.size()); ++copy) {
    const Event& issued = event(copy);
    if (issued.kind != Event::Kind::store || !issued.instruction->asynchronous) continue;
    if (issued.lane == 0) reached = search.from(copy);
    AccessPair pair;
    pair.first = copy;
    const auto own = [&](const std::map<Point, Conditions>& points, std::vector<AccessPair>& to) {
      for (const auto& [point, on_the_way] : points) {
        const Event& e = event(point.event);
        if (is_access(e) && !may_be_in_one_memory(trace, issued, e)) continue;
        pair.second = point.event;
        pair.right = names(e, point.walk.iterations);
        pair.right_path = facts_of(point.walk, on_the_way, ">");
        add(to, pair);
      }
    };
    own(reached.accesses, out.own);
    own(reached.ends, out.ends);
    for (const auto& [barrier, on_the_way] : reached.barriers) {
      const Event& at = event(barrier.event);
      pair.origin.clear();
      if (tied(barrier.walk.iterations)) {
        const calculus::Substitution map = names(at, barrier.walk.iterations);
        for (Term fact : at.scope->facts()) pair.origin.push_back(calculus::substitute(fact, map));
      }
      pair.left_path = facts_of(barrier.walk, on_the_way, "!");
      for (const auto& [access, conditions] :
           reachable(trace, at.node, barrier.position + 1, barrier.walk.iterations, search.rounds())) {
        const Event& e = event(access.event);
        if (!conflict(trace, issued, e)) continue;
        pair.second = access.event;
        pair.right = names(e, access.iterations);
        pair.right_path = facts_of({access.iterations, access.left}, conditions, ">");
        pair.fixed = tied(access.iterations);
        add(out.others, pair);
      }
    }
  }
  return out;
}

}  // namespace hallmark::validator
