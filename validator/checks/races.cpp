// Races: pairs of accesses that no barrier separates, for two threads of one block; and all pairs for threads
// of two blocks. Addresses and conditions are over launch data and index ranges (soundness C6).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "validator/checks/departures.h"
#include "validator/checks/examine.h"
#include "validator/checks/match.h"
#include "validator/checks/separation.h"
#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

// Iteration of a loop relative to the common barrier: 0, 1: that many later than the barrier's own; `first`:
// the loop's first visit; `any`: not tied to the other thread's.
constexpr int first = 100, any = 1000;
using Iterations = std::map<int, int>;

constexpr std::size_t most_pairs = 50000;

struct Access {
  int event;
  Iterations iterations;
  Iterations left;  // loops around the barrier that the path has left: in its iteration, or the next
  bool operator<(const Access& o) const {
    return std::tie(event, iterations, left) < std::tie(o.event, o.iterations, o.left);
  }
};

bool is_access(const Event& e) {
  return e.kind == Event::Kind::load || e.kind == Event::Kind::store || e.kind == Event::Kind::atomic;
}

// What holds on every path to a place: conditions of edges outside all loops, which hold for the threads that
// take them and no others.
using Conditions = std::set<Term, calculus::TermLess>;

// The accesses that a path without a barrier leads to, and what holds on all such paths.
std::map<Access, Conditions> reachable(const Trace& trace, int node, std::size_t position,
                                       const Iterations& start) {
  struct State {
    int node;
    std::size_t position;
    Iterations iterations, left;
    bool operator<(const State& o) const {
      return std::tie(node, position, iterations, left) < std::tie(o.node, o.position, o.iterations, o.left);
    }
  };
  std::map<State, Conditions> known;
  std::vector<State> work{{node, position, start, {}}};
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
      State next{edge.to, 0, w.iterations, w.left};
      switch (edge.kind) {
        case TraceEdge::Kind::plain:
          break;
        case TraceEdge::Kind::enter:
          next.iterations[edge.loop] =
              trace.loops[static_cast<std::size_t>(edge.loop)].has_barrier ? first : any;
          next.left.erase(edge.loop);
          break;
        case TraceEdge::Kind::back:
          next.iterations[edge.loop] = next.iterations[edge.loop] == 0 ? 1 : any;
          break;
        case TraceEdge::Kind::leave_loop: {
          if (const auto code = w.iterations.find(edge.loop); code != w.iterations.end() &&
                                                              start.count(edge.loop) != 0 &&
                                                              (code->second == 0 || code->second == 1))
            next.left[edge.loop] = code->second;
          // Also the loops inside the one that is left.
          std::erase_if(next.iterations, [&](const auto& entry) {
            for (int l = entry.first; l >= 0; l = trace.loops[static_cast<std::size_t>(l)].parent)
              if (l == edge.loop) return true;
            return false;
          });
          break;
        }
      }
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
      const auto [at, fresh] = out.try_emplace({here.events[i], state.iterations, state.left}, conditions);
      if (!fresh) std::erase_if(at->second, [&among = conditions](Term c) { return among.count(c) == 0; });
    }
  }
  return out;
}

calculus::Substitution placed(const Trace& trace, const Iterations& iterations, const char* suffix) {
  calculus::Substitution out;
  for (const auto& [loop, code] : iterations) {
    const Term it = trace.loops[static_cast<std::size_t>(loop)].iteration;
    if (code == any)
      out[it] = calculus::variable(it->name + suffix);
    else if (code == first)
      out[it] = calculus::integer(0);
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

// A loop that is left makes no more rounds.
std::vector<Term> ended(const Trace& trace, const Iterations& left) {
  std::vector<Term> out;
  for (const auto& [loop, code] : left) {
    const SymbolicLoop& record = trace.loops[static_cast<std::size_t>(loop)];
    if (record.trips != nullptr)
      out.push_back(calculus::equal(calculus::add(record.iteration, calculus::integer(code)), record.trips));
  }
  return out;
}

// Shared or local memory that an address, known or not, certainly lies in; generic: not known.
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

// The kind of a warp's own access (Instruction::text); empty for a thread's.
std::string by_warp(const Event& e) {
  return is_of_warp(e) ? e.instruction->text : std::string();
}

// Atomics of one size that include each other in their scopes are no race.
bool conflict(const Trace& trace, const Event& a, const Event& b, bool two_blocks = false) {
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

// What a thread that leaves did last, against all that others do after the barrier that it missed.
void departed_pairs(const Trace& trace, std::vector<AccessPair>& out) {
  std::set<std::tuple<int, int, Term>> seen;
  const auto anywhere = [&](const Event& event) {
    Iterations iterations;
    for (int loop : event.loops) iterations[loop] = any;
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
        pair.left_path = ended(trace, all[0]->left);
        pair.right_path = ended(trace, all[1]->left);
        pair.left_path.insert(pair.left_path.end(), accesses[i].second.begin(), accesses[i].second.end());
        pair.right_path.insert(pair.right_path.end(), accesses[j].second.begin(), accesses[j].second.end());
        for (const Access* a : all)
          for (const auto& [loop, code] : a->iterations) pair.fixed = pair.fixed && code != any;
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

namespace {

calculus::Substitution composed(const calculus::Substitution& inner, const calculus::Substitution& outer) {
  calculus::Substitution out = outer;
  for (const auto& [from, to] : inner) out[from] = calculus::substitute(to, outer);
  return out;
}

std::vector<Term> facts_under(const std::vector<Term>& facts, const calculus::Substitution& map) {
  std::vector<Term> out;
  for (Term fact : facts) out.push_back(calculus::substitute(fact, map));
  return out;
}

// Everything that is said of the second thread.
std::vector<Term> terms_of(const AccessPair& pair, const Event& second) {
  std::vector<Term> out = pair.origin;
  out.insert(out.end(), pair.right_path.begin(), pair.right_path.end());
  out.push_back(second.offset);
  return out;
}

std::vector<Term> free_variables(const Event& e) {
  std::vector<Term> out = e.scope->facts();
  out.push_back(e.offset);
  return out;
}

}  // namespace

Finding Examiner::race() {
  Finding out;
  out.holds = true;
  for (const Event& e : trace_.events)
    if (is_access(e) && e.memory < 0 && e.kind != Event::Kind::load) {
      out.holds = false;
      out.unsupported = true;
      out.failure = fmt::format("{}: {}", place_text(kernel_, e), e.detail);
      return out;
    }
  Separation separation(trace_, prover_);
  const auto fail = [&](const Event& a, const Event& b, const char* where) {
    out.holds = false;
    out.failure =
        fmt::format("{} and {} may touch one place of {} by two threads {}", place_text(kernel_, a),
                    place_text(kernel_, b),
                    trace_.memories[static_cast<std::size_t>(std::max(a.memory, b.memory))].name, where);
  };
  std::vector<Term> same_thread, same_block;
  for (int d = 0; d < 3; ++d) {
    same_thread.push_back(calculus::equal(thread_symbol(d), calculus::symbol(thread_symbol(d)->name + "'")));
    same_block.push_back(calculus::equal(block_symbol(d), calculus::symbol(block_symbol(d)->name + "'")));
  }
  // Dimensions of extent 1 have no symbol.
  const auto present = [&](std::vector<Term> equalities, bool blocks) {
    std::vector<Term> kept;
    for (int d = 0; d < 3; ++d)
      if ((blocks ? grid_extent(spec_, d) : block_extent(spec_, d)) != calculus::integer(1))
        kept.push_back(equalities[static_cast<std::size_t>(d)]);
    return calculus::conjunction(kept);
  };
  // Where strides are numbers and few, solvers need no help; of five and more they only lose their time.
  const auto shown = [&](const std::vector<Term>& facts, int first, const calculus::Substitution& left,
                         int second, const calculus::Substitution& right, Term goal) {
    const auto with_indices = [&] {
      std::vector<Term> more = separation.same_indices(first, left, second, right);
      if (more.empty()) return false;
      more.insert(more.begin(), facts.begin(), facts.end());
      return prover_.rely(Context::make(more), goal);
    };
    // Two that never meet: a claim from hypotheses that contradict each other is worth nothing, so that it is
    // put as what it is, under what holds for every thread.
    if (prover_.holds(Context::make(facts), calculus::truth(false))) {
      std::vector<Term> path;
      for (Term fact : facts)
        if (!trace_.base->knows(fact)) path.push_back(fact);
      const Term apart = calculus::negation(calculus::conjunction(path));
      if (!path.empty() && prover_.rely(trace_.base, apart)) return true;
    }
    const bool many = calculus::monomials(trace_.events[static_cast<std::size_t>(first)].offset).size() >= 5;
    if (many && with_indices()) return true;
    return prover_.rely(Context::make(facts), goal) || (!many && with_indices());
  };
  // --- Two threads of one block.
  for (const AccessPair& pair : interval_pairs(trace_)) {
    const Event &a = trace_.events[static_cast<std::size_t>(pair.first)],
                &b = trace_.events[static_cast<std::size_t>(pair.second)];
    if (a.memory >= 0 && trace_.memories[static_cast<std::size_t>(a.memory)].space == ir::Space::local)
      continue;
    std::vector<Term> shared;
    for (const SymbolicLoop& loop : trace_.loops) shared.push_back(loop.iteration);
    const calculus::Substitution rename =
        other_thread(trace_, b.scope->facts(), terms_of(pair, b), false, shared);
    const calculus::Substitution right = composed(pair.right, rename);
    std::vector<Term> facts = facts_under(b.scope->facts(), right);
    for (Term fact : facts_under(pair.origin, rename)) facts.push_back(fact);
    for (Term fact : pair.origin) facts.push_back(fact);
    facts.insert(facts.end(), pair.left_path.begin(), pair.left_path.end());
    for (Term fact : facts_under(pair.right_path, rename)) facts.push_back(fact);
    if (pair.departed != nullptr) facts.push_back(pair.departed);
    const std::vector<Term> left_facts = facts_under(a.scope->facts(), pair.left);
    facts.insert(facts.begin(), left_facts.begin(), left_facts.end());
    for (Term fact : separation.same_place(pair.first, pair.left, pair.second, right)) facts.push_back(fact);
    // Which lane does what in a warp's own access is not specified: what its other accesses do to the place
    // has to be apart, whichever thread does it.
    const bool by_some_lane = by_warp(a) != by_warp(b);
    const Term goal = by_some_lane ? calculus::truth(false) : present(same_thread, false);
    if (!shown(facts, pair.first, pair.left, pair.second, right, goal)) {
      fail(a, b, "of one block");
      return out;
    }
  }
  // --- Threads of two blocks: barriers do not order them.
  bool many_blocks = false;
  for (int d = 0; d < 3; ++d) many_blocks = many_blocks || grid_extent(spec_, d) != calculus::integer(1);
  for (std::size_t i = 0; i < trace_.events.size() && many_blocks; ++i)
    for (std::size_t j = i; j < trace_.events.size(); ++j) {
      const Event &a = trace_.events[i], &b = trace_.events[j];
      if (!is_access(a) || !is_access(b) || !conflict(trace_, a, b, true)) continue;
      const auto local_to_block = [&](const Event& e) {
        if (e.memory < 0) return confined_to(e) != ir::Space::generic;
        return trace_.memories[static_cast<std::size_t>(e.memory)].space != ir::Space::global;
      };
      if (local_to_block(a) || local_to_block(b)) continue;
      const calculus::Substitution right = other_thread(trace_, free_variables(b), {}, true, {});
      std::vector<Term> facts = a.scope->facts();
      for (Term fact : facts_under(b.scope->facts(), right)) facts.push_back(fact);
      for (Term fact : separation.same_place(static_cast<int>(i), {}, static_cast<int>(j), right))
        facts.push_back(fact);
      if (!shown(facts, static_cast<int>(i), {}, static_cast<int>(j), right, present(same_block, true))) {
        fail(a, b, "of two blocks");
        return out;
      }
    }
  if (!read_only_loads(out)) return out;
  out.rules.push_back("barrier-intervals");
  out.assumptions.push_back("buffers-do-not-overlap");
  return out;
}

// What is read through the read-only path is written by no thread of the grid, at no time of the launch
// (PTX ISA, ld.global.nc and ldu; soundness A3).
bool Examiner::read_only_loads(Finding& finding) {
  Separation separation(trace_, prover_);
  for (std::size_t l = 0; l < trace_.events.size(); ++l) {
    const Event& load = trace_.events[l];
    if (load.kind != Event::Kind::load || !load.instruction->non_coherent) continue;
    for (std::size_t s = 0; s < trace_.events.size(); ++s) {
      const Event& store = trace_.events[s];
      if (store.kind != Event::Kind::store && store.kind != Event::Kind::atomic) continue;
      if (!may_be_in_one_memory(trace_, load, store)) continue;
      bool apart = load.memory >= 0 && store.memory >= 0;
      if (apart) {
        const calculus::Substitution right = other_thread(trace_, free_variables(store), {}, true, {});
        std::vector<Term> facts = load.scope->facts();
        for (Term fact : facts_under(store.scope->facts(), right)) facts.push_back(fact);
        const std::vector<Term> meet =
            separation.same_place(static_cast<int>(l), {}, static_cast<int>(s), right);
        apart = prover_.rely(Context::make(facts), calculus::negation(calculus::conjunction(meet)));
      }
      if (apart) continue;
      finding.holds = false;
      finding.failure = fmt::format(
          "{} reads as read-only what {} may write: memory that a launch writes has no read-only path",
          place_text(kernel_, load), place_text(kernel_, store));
      return false;
    }
  }
  return true;
}

// Each place of shared memory and of the outputs is written at most once an interval, even by one thread:
// then the writer that a read or the end of the kernel sees is the one that inversion finds.
bool Examiner::single_writes(Finding& finding) {
  Separation separation(trace_, prover_);
  for (const AccessPair& pair : interval_pairs(trace_)) {
    const Event &a = trace_.events[static_cast<std::size_t>(pair.first)],
                &b = trace_.events[static_cast<std::size_t>(pair.second)];
    if (pair.departed != nullptr) continue;  // never one thread
    if (a.kind != Event::Kind::store || b.kind != Event::Kind::store || a.memory != b.memory) continue;
    if (a.memory >= 0 && trace_.memories[static_cast<std::size_t>(a.memory)].space == ir::Space::local)
      continue;
    std::vector<Term> shared;
    for (const SymbolicLoop& loop : trace_.loops) shared.push_back(loop.iteration);
    // The same thread, other iterations.
    calculus::Substitution rename = other_thread(trace_, b.scope->facts(), terms_of(pair, b), false, shared);
    for (int d = 0; d < 3; ++d) rename.erase(thread_symbol(d));
    const calculus::Substitution right = composed(pair.right, rename);
    std::vector<Term> facts = facts_under(a.scope->facts(), pair.left);
    for (Term fact : facts_under(b.scope->facts(), right)) facts.push_back(fact);
    for (Term fact : pair.origin) facts.push_back(fact);
    facts.insert(facts.end(), pair.left_path.begin(), pair.left_path.end());
    for (Term fact : facts_under(pair.right_path, rename)) facts.push_back(fact);
    for (Term fact : separation.same_place(pair.first, pair.left, pair.second, right)) facts.push_back(fact);
    // One event at one iteration is one write.
    std::vector<Term> same;
    if (pair.first == pair.second) {
      for (int loop : a.loops) {
        const Term it = trace_.loops[static_cast<std::size_t>(loop)].iteration;
        same.push_back(calculus::equal(calculus::substitute(it, pair.left), calculus::substitute(it, right)));
      }
    } else {
      same.push_back(calculus::truth(false));
    }
    if (prover_.rely(Context::make(facts), calculus::conjunction(same))) continue;
    finding.failure = fmt::format(
        "{} and {} may write one place of {} twice", place_text(kernel_, a), place_text(kernel_, b),
        a.memory < 0 ? "memory" : trace_.memories[static_cast<std::size_t>(a.memory)].name);
    return false;
  }
  return true;
}

}  // namespace hallmark::validator
