#include "validator/checks/intervals.h"

#include <algorithm>
#include <array>

#include "validator/checks/departures.h"
#include "validator/checks/match.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

constexpr std::size_t most_pairs = 50000;

int next_iteration(int code, int rounds) {
  if (code < rounds) return code + 1;
  if (code < first_iteration) return rounds > 1 ? later_iteration : any_iteration;
  const bool told_apart = code < any_iteration && code - first_iteration < rounds - 1;
  return told_apart ? code + 1 : any_iteration;
}

}  // namespace

bool is_access(const Event& e) {
  return e.kind == Event::Kind::load || e.kind == Event::Kind::store || e.kind == Event::Kind::atomic;
}

void pass(const Trace& trace, const TraceEdge& edge, const Iterations& known, int rounds, Walk& walk) {
  switch (edge.kind) {
    case TraceEdge::Kind::plain:
      break;
    case TraceEdge::Kind::enter:
      walk.iterations[edge.loop] =
          trace.loops[static_cast<std::size_t>(edge.loop)].has_barrier ? first_iteration : any_iteration;
      walk.left.erase(edge.loop);
      break;
    case TraceEdge::Kind::back:
      walk.iterations[edge.loop] = next_iteration(walk.iterations[edge.loop], rounds);
      break;
    case TraceEdge::Kind::leave_loop: {
      if (const auto code = walk.iterations.find(edge.loop); code != walk.iterations.end()) {
        const bool counted = code->second < first_iteration && known.count(edge.loop) != 0;
        const bool numbered = code->second >= first_iteration && code->second < any_iteration;
        if (counted || (numbered && rounds > 1)) walk.left[edge.loop] = code->second;
      }
      // Also the loops inside the one that is left.
      std::erase_if(walk.iterations, [&](const auto& entry) {
        for (int l = entry.first; l >= 0; l = trace.loops[static_cast<std::size_t>(l)].parent)
          if (l == edge.loop) return true;
        return false;
      });
      break;
    }
  }
}

std::map<Access, Conditions> reachable(const Trace& trace, int node, std::size_t position,
                                       const Iterations& start, int rounds) {
  struct State {
    int node;
    std::size_t position;
    Walk walk;
    bool operator<(const State& o) const {
      return std::tie(node, position, walk) < std::tie(o.node, o.position, o.walk);
    }
  };
  std::map<State, Conditions> known;
  std::vector<State> work{{node, position, {start, {}}}};
  known[work[0]];
  while (!work.empty()) {
    const State w = work.back();
    work.pop_back();
    const Conditions so_far = known.at(w);
    const TraceNode& here = trace.nodes[static_cast<std::size_t>(w.node)];
    const bool stopped = std::any_of(
        here.events.begin() + static_cast<std::ptrdiff_t>(std::min(w.position, here.events.size())),
        here.events.end(),
        [&](int id) { return trace.events[static_cast<std::size_t>(id)].kind == Event::Kind::barrier; });
    if (stopped) continue;
    for (const TraceEdge& edge : here.successors) {
      State next{edge.to, 0, w.walk};
      pass(trace, edge, start, rounds, next.walk);
      Conditions conditions = so_far;
      if (edge.condition != nullptr) conditions.insert(edge.condition);
      const auto [at, fresh] = known.try_emplace(next, conditions);
      if (!fresh) {
        const std::size_t before = at->second.size();
        std::erase_if(at->second, [&among = conditions](Term c) { return among.count(c) == 0; });
        if (at->second.size() == before) continue;
      }
      work.push_back(next);
    }
  }
  std::map<Access, Conditions> out;
  for (const auto& [state, conditions] : known) {
    const TraceNode& here = trace.nodes[static_cast<std::size_t>(state.node)];
    for (std::size_t i = state.position; i < here.events.size(); ++i) {
      const Event& event = trace.events[static_cast<std::size_t>(here.events[i])];
      if (event.kind == Event::Kind::barrier) break;
      if (!is_access(event)) continue;
      const auto [at, fresh] =
          out.try_emplace({here.events[i], state.walk.iterations, state.walk.left}, conditions);
      if (!fresh) std::erase_if(at->second, [&among = conditions](Term c) { return among.count(c) == 0; });
    }
  }
  return out;
}

calculus::Substitution placed(const Trace& trace, const Iterations& iterations, const char* suffix) {
  calculus::Substitution out;
  for (const auto& [loop, code] : iterations) {
    const Term it = trace.loops[static_cast<std::size_t>(loop)].iteration;
    if (code == any_iteration || code == later_iteration)
      out[it] = calculus::variable(it->name + suffix);
    else if (code >= first_iteration)
      out[it] = calculus::integer(code - first_iteration);
    else if (code != 0)
      out[it] = calculus::add(it, calculus::integer(code));
  }
  return out;
}

// What an access in another iteration than the barrier's computed is no longer what held there: running
// values of loops get new names.
void name_apart(const Event& event, const Iterations& iterations, const char* suffix,
                calculus::Substitution& names) {
  const bool moved =
      std::any_of(iterations.begin(), iterations.end(), [](const auto& entry) { return entry.second != 0; });
  if (!moved) return;
  const auto see = [&](Term term) {
    if (term == nullptr || !term->has_variables) return;
    calculus::for_each_node(term, [&](Term node) {
      if (node->kind == Kind::variable && node->name.rfind("it.", 0) != 0)
        names.try_emplace(node, calculus::variable(node->name + suffix, node->sort));
    });
  };
  for (Term fact : event.scope->facts()) see(fact);
  see(event.offset);
}

std::vector<Term> ended(const Trace& trace, const Iterations& left, const char* suffix, int rounds) {
  std::vector<Term> out = later(trace, left, suffix, rounds);
  for (const auto& [loop, code] : left) {
    const SymbolicLoop& record = trace.loops[static_cast<std::size_t>(loop)];
    // The number of a visit is known of loops that make as many rounds at every visit.
    if (code >= first_iteration && (record.trips == nullptr || record.trips->has_variables)) continue;
    const Term last = code >= first_iteration   ? calculus::integer(code - first_iteration)
                      : code == later_iteration ? calculus::variable(record.iteration->name + suffix)
                                                : calculus::add(record.iteration, calculus::integer(code));
    if (record.trips != nullptr) out.push_back(calculus::equal(last, record.trips));
  }
  return out;
}

std::vector<Term> later(const Trace& trace, const Iterations& iterations, const char* suffix, int rounds) {
  std::vector<Term> out;
  for (const auto& [loop, code] : iterations) {
    if (code != later_iteration) continue;
    const Term it = trace.loops[static_cast<std::size_t>(loop)].iteration;
    out.push_back(
        calculus::less(calculus::add(it, calculus::integer(rounds)), calculus::variable(it->name + suffix)));
  }
  return out;
}

ir::Space confined_to(const Event& e) {
  const ir::Space space = e.instruction->space;
  return space == ir::Space::shared || space == ir::Space::local ? space : ir::Space::generic;
}

bool may_be_in_one_memory(const Trace& trace, const Event& a, const Event& b) {
  if (a.memory >= 0 && b.memory >= 0) return a.memory == b.memory;
  const auto possible = [&](const Event& unknown, const Event& other) {
    if (unknown.memory >= 0 || confined_to(unknown) == ir::Space::generic) return true;
    if (other.memory >= 0)
      return trace.memories[static_cast<std::size_t>(other.memory)].space == confined_to(unknown);
    return confined_to(other) == ir::Space::generic || confined_to(other) == confined_to(unknown);
  };
  return possible(a, b) && possible(b, a);
}

// Atomics of one size that include each other in their scopes are no race.
bool conflict(const Trace& trace, const Event& a, const Event& b, bool two_blocks) {
  if (a.kind == Event::Kind::load && b.kind == Event::Kind::load) return false;
  const auto reaches = [&](const Event& e) {
    return e.instruction->scope != ir::Scope::thread &&
           !(two_blocks && e.instruction->scope == ir::Scope::block);
  };
  if (a.kind == Event::Kind::atomic && b.kind == Event::Kind::atomic && a.bytes == b.bytes && reaches(a) &&
      reaches(b))
    return false;
  return may_be_in_one_memory(trace, a, b);
}

namespace {

// What a thread that leaves did last, against all that others do after the barrier that it missed.
void departed_pairs(const Trace& trace, std::vector<AccessPair>& out) {
  std::set<std::tuple<int, int, Term>> seen;
  const auto anywhere = [&](const Event& event) {
    Iterations iterations;
    for (int loop : event.loops) iterations[loop] = any_iteration;
    return iterations;
  };
  for (std::size_t n = 0; n < trace.nodes.size(); ++n)
    for (std::size_t i = 0; i < trace.nodes[n].events.size(); ++i) {
      if (trace.events[static_cast<std::size_t>(trace.nodes[n].events[i])].kind != Event::Kind::barrier)
        continue;
      for (const Departure& departure : departures(trace, static_cast<int>(n)))
        for (int a : last_events(trace, departure))
          for (int b : events_after(trace, static_cast<int>(n), i)) {
            const Event &left = trace.events[static_cast<std::size_t>(a)],
                        &right = trace.events[static_cast<std::size_t>(b)];
            if (!is_access(left) || !is_access(right) || !conflict(trace, left, right)) continue;
            if (!seen.insert({a, b, departure.condition}).second) continue;
            AccessPair pair;
            pair.first = a;
            pair.second = b;
            pair.left = placed(trace, anywhere(left), "<");
            pair.right = placed(trace, anywhere(right), ">");
            pair.fixed = false;
            pair.departed = departure.condition;
            out.push_back(std::move(pair));
          }
    }
}

}  // namespace

std::vector<AccessPair> interval_pairs(const Trace& trace) {
  std::vector<AccessPair> out;
  const auto from = [&](int node, std::size_t position, const Iterations& start, const Event* origin) {
    const std::map<Access, Conditions> reached = reachable(trace, node, position, start);
    const std::vector<std::pair<Access, Conditions>> accesses(reached.begin(), reached.end());
    for (std::size_t i = 0; i < accesses.size(); ++i)
      for (std::size_t j = i; j < accesses.size(); ++j) {
        const std::array<const Access*, 2> all{&accesses[i].first, &accesses[j].first};
        if (!conflict(trace, trace.events[static_cast<std::size_t>(all[0]->event)],
                      trace.events[static_cast<std::size_t>(all[1]->event)]))
          continue;
        if (out.size() == most_pairs)
          throw Refusal("E4014", "more accesses between two barriers than can be compared with each other");
        AccessPair pair;
        pair.first = all[0]->event;
        pair.second = all[1]->event;
        pair.left = placed(trace, all[0]->iterations, "<");
        pair.right = placed(trace, all[1]->iterations, ">");
        name_apart(trace.events[static_cast<std::size_t>(pair.first)], all[0]->iterations, "<", pair.left);
        name_apart(trace.events[static_cast<std::size_t>(pair.second)], all[1]->iterations, ">", pair.right);
        pair.left_path = ended(trace, all[0]->left, "<");
        pair.right_path = ended(trace, all[1]->left, ">");
        pair.left_path.insert(pair.left_path.end(), accesses[i].second.begin(), accesses[i].second.end());
        pair.right_path.insert(pair.right_path.end(), accesses[j].second.begin(), accesses[j].second.end());
        for (const Access* a : all)
          for (const auto& [loop, code] : a->iterations) pair.fixed = pair.fixed && code != any_iteration;
        if (origin != nullptr) pair.origin = origin->scope->facts();
        out.push_back(std::move(pair));
      }
  };
  if (trace.nodes.empty()) return out;
  from(0, 0, {}, nullptr);
  for (std::size_t n = 0; n < trace.nodes.size(); ++n)
    for (std::size_t i = 0; i < trace.nodes[n].events.size(); ++i) {
      const Event& event = trace.events[static_cast<std::size_t>(trace.nodes[n].events[i])];
      if (event.kind != Event::Kind::barrier) continue;
      Iterations start;
      for (int loop : event.loops) start[loop] = 0;
      from(static_cast<int>(n), i + 1, start, &event);
    }
  departed_pairs(trace, out);
  return out;
}

}  // namespace hallmark::validator
