#include "validator/symbolic/writers.h"

#include <algorithm>

#include "base/error.h"
#include "validator/symbolic/divide.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/invert.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

Term simplify(Term term, const Scope& scope, Arithmetic& arithmetic) {
  bool divides = false;
  calculus::for_each_node(term, [&](Term node) { divides = divides || node->kind == Kind::floor_div; });
  if (!divides) return term;
  return calculus::rewrite(term, [&](Term node) -> Term {
    if (node->kind != Kind::floor_div) return node;
    const Integer* c = calculus::as_integer(node->children[1]);
    if (c == nullptr) {
      // Extents and the like: a divisor that belongs to the launch.
      const std::vector<Term> factors = factors_of(node->children[1]);
      const bool symbols =
          std::all_of(factors.begin(), factors.end(), [](Term f) { return f->kind == Kind::symbol; });
      if (symbols && arithmetic.rely(scope, calculus::at_most(calculus::integer(1), node->children[1])))
        return divide_by_symbols(node->children[0], node->children[1]);
      return node;
    }
    return *c > 0 ? arithmetic.divide(node->children[0], *c, scope) : node;
  });
}

namespace {

bool holds_name_of(const calculus::Substitution& names, Term term, bool itself) {
  if (itself || term == nullptr || !term->has_variables) return false;
  bool found = false;
  calculus::for_each_node(term, [&](Term node) {
    for (const auto& [own, other] : names) found = found || node == other;
  });
  return found;
}

}  // namespace

std::vector<Term> WriterSearch::thread_symbols() const {
  std::vector<Term> out;
  for (int d = 0; d < 3; ++d)
    if (block_extent(spec_, d) != calculus::integer(1)) out.push_back(thread_symbol(d));
  return out;
}

std::vector<Term> WriterSearch::unknowns(const Event& store, const Event& read) const {
  std::vector<Term> out = thread_symbols();
  for (int loop : store.loops)
    if (std::find(read.loops.begin(), read.loops.end(), loop) == read.loops.end())
      out.push_back(trace_.loops[static_cast<std::size_t>(loop)].iteration);
  return out;
}

calculus::Substitution WriterSearch::others_names(const Event& store, const Event& read,
                                                  const std::string& mark) const {
  const std::vector<Term> own = unknowns(store, read);
  calculus::Substitution out;
  const auto see = [&](Term term) {
    if (term == nullptr || !term->has_variables) return;
    calculus::for_each_node(term, [&](Term node) {
      if (node->kind != Kind::variable || std::find(own.begin(), own.end(), node) != own.end()) return;
      for (int loop : store.loops)
        if (trace_.loops[static_cast<std::size_t>(loop)].iteration == node) return;  // a common one
      out[node] = calculus::variable(node->name + mark, node->sort);
    });
  };
  for (Term fact : store.scope->facts()) see(fact);
  see(store.offset);
  see(store.value.term);
  return out;
}

WriterSearch::Layer WriterSearch::before(const Event& read,
                                         const std::vector<std::pair<int, int>>& points) const {
  Layer layer;
  std::set<int> seen;
  std::vector<std::pair<int, int>> work = points;
  while (!work.empty()) {
    const auto [node, position] = work.back();
    work.pop_back();
    const TraceNode& here = trace_.nodes[static_cast<std::size_t>(node)];
    bool stopped = false;
    for (int i = position - 1; i >= 0 && !stopped; --i) {
      const int id = here.events[static_cast<std::size_t>(i)];
      const Event& event = trace_.events[static_cast<std::size_t>(id)];
      if (event.kind == Event::Kind::barrier) {
        layer.barriers.emplace_back(node, i);
        stopped = true;
      } else if (event.kind == Event::Kind::atomic && (event.memory == read.memory || event.memory < 0)) {
        layer.trouble = "an atomic writes the array";
      } else if (event.kind == Event::Kind::store && event.memory < 0) {
        layer.trouble = "a store to an address that is not understood";
      } else if (event.kind == Event::Kind::store && event.memory == read.memory) {
        if (std::find(layer.stores.begin(), layer.stores.end(), id) == layer.stores.end())
          layer.stores.push_back(id);
      }
    }
    if (stopped) continue;
    // The header of a loop around the read: what an earlier iteration wrote is not followed.
    for (int loop : read.loops)
      if (trace_.loops[static_cast<std::size_t>(loop)].header == node && stored_in(loop, read.memory))
        layer.carried = true;
    if (here.predecessors.empty()) layer.entry = true;
    for (int predecessor : here.predecessors)
      if (seen.insert(predecessor).second)
        work.emplace_back(
            predecessor, static_cast<int>(trace_.nodes[static_cast<std::size_t>(predecessor)].events.size()));
  }
  return layer;
}

bool WriterSearch::stored_in(int loop, int memory) const {
  for (std::uint32_t l = 0; l < flow_.loops().size(); ++l) {
    if (flow_.loops()[l].header != trace_.loops[static_cast<std::size_t>(loop)].block) continue;
    const auto stored = stored_in_loop_.find(l);
    if (stored != stored_in_loop_.end() &&
        (stored->second.count(memory) != 0 || stored->second.count(-1) != 0))
      return true;
  }
  return false;
}

// A path of at least one edge.
bool WriterSearch::reaches(int from, int to, const std::vector<int>& without_back_edges) const {
  std::set<int> seen;
  std::vector<int> work{from};
  while (!work.empty()) {
    const int node = work.back();
    work.pop_back();
    for (const TraceEdge& edge : trace_.nodes[static_cast<std::size_t>(node)].successors) {
      if (edge.kind == TraceEdge::Kind::back &&
          std::find(without_back_edges.begin(), without_back_edges.end(), edge.loop) !=
              without_back_edges.end())
        continue;
      if (edge.to == to) return true;
      if (seen.insert(edge.to).second) work.push_back(edge.to);
    }
  }
  return false;
}

// Whether `later` may happen after the store that was found and before the read, in one iteration of the
// loops that the store and the read have in common.
bool WriterSearch::comes_between(int store, int later, const Event& read) const {
  const Event &s = trace_.events[static_cast<std::size_t>(store)],
              &t = trace_.events[static_cast<std::size_t>(later)];
  std::vector<int> common;
  for (int loop : s.loops)
    if (std::find(read.loops.begin(), read.loops.end(), loop) != read.loops.end()) common.push_back(loop);
  const bool after = (s.node == t.node && store < later) || reaches(s.node, t.node, common);
  return after && (t.node == read.node || reaches(t.node, read.node, common));
}

// Whether any thread, in any iteration of the store's own loops, may write a byte of what is read.
bool WriterSearch::may_hit(int id, const Event& read, const std::vector<Term>& known) {
  const Event& store = trace_.events[static_cast<std::size_t>(id)];
  calculus::Substitution primed = others_names(store, read, "'");
  for (Term u : unknowns(store, read)) primed[u] = calculus::variable(u->name + "'");
  std::vector<Term> facts = known;
  for (Term fact : store.scope->facts()) facts.push_back(calculus::substitute(fact, primed));
  const Term there = calculus::substitute(store.offset, primed);
  const Term overlap =
      store.bytes == read.bytes
          ? calculus::equal(there, read.offset)
          : calculus::both(calculus::less(there, calculus::add(read.offset, calculus::integer(read.bytes))),
                           calculus::less(read.offset, calculus::add(there, calculus::integer(store.bytes))));
  return !prover_.rely(Context::extend(read.scope, facts), calculus::negation(overlap));
}

// What was found is the newest: paths with fewer barriers show older stores first, so that each store that
// may come later than one that is used has to miss the place where that one counts. Empty, or what is wrong.
std::string WriterSearch::newest(const Event& read, const std::vector<Writer>& found,
                                 const std::map<int, int>& settled) {
  std::vector<Term> known;  // none of the writers before this one
  for (const Writer& writer : found) {
    const Event& store = trace_.events[static_cast<std::size_t>(writer.store)];
    for (int loop : read.loops)
      if (std::find(store.loops.begin(), store.loops.end(), loop) == store.loops.end() &&
          stored_in(loop, read.memory))
        return "the array is carried from one iteration of a loop to the next";
    std::vector<Term> here = known;
    here.push_back(writer.condition);
    for (std::size_t t = 0; t < trace_.events.size(); ++t) {
      const Event& other = trace_.events[t];
      const int id = static_cast<int>(t);
      if (other.kind != Event::Kind::store && other.kind != Event::Kind::atomic) continue;
      if (other.memory >= 0 && other.memory != read.memory) continue;
      if (const auto layer = settled.find(id); layer != settled.end() && layer->second < writer.depth)
        continue;
      if (!comes_between(writer.store, id, read)) continue;
      if (other.memory < 0) return "a store to an address that is not understood";
      if (other.kind == Event::Kind::atomic) return "an atomic writes the array";
      if (id == writer.store) {
        // The same store in another iteration of a loop that has ended.
        std::vector<Term> same;
        calculus::Substitution primed = others_names(store, read, "'");
        for (Term u : unknowns(store, read)) {
          primed[u] = calculus::variable(u->name + "'");
          same.push_back(calculus::equal(primed[u], writer.inverse.at(u)));
        }
        std::vector<Term> facts = here;
        for (Term fact : store.scope->facts()) facts.push_back(calculus::substitute(fact, primed));
        facts.push_back(calculus::equal(calculus::substitute(store.offset, primed), read.offset));
        if (prover_.rely(Context::extend(read.scope, facts), calculus::conjunction(same))) continue;
        return "which iteration's store the read sees is not known";
      }
      if (may_hit(id, read, here)) return "which of several stores the read sees is not known";
    }
    known.push_back(calculus::negation(writer.condition));
  }
  return {};
}

ReadResult WriterSearch::resolve(const Event& read) {
  ReadResult out;
  Arithmetic arithmetic(prover_, true);
  const TraceNode& node = trace_.nodes[static_cast<std::size_t>(read.node)];
  Layer layer = before(read, {{read.node, static_cast<int>(node.events.size())}});
  const std::string carried = "the array is carried from one iteration of a loop to the next";
  if (!layer.trouble.empty() || layer.carried) {
    out.detail = layer.carried ? carried : layer.trouble;
    return out;
  }
  if (!layer.stores.empty()) {
    out.detail = "the array is written in the interval in which it is read";
    return out;
  }
  Scope scope = read.scope;
  std::vector<Writer> found;  // newest first
  // Stores that hit nothing where none of those found up to their depth does.
  std::map<int, int> settled;
  std::vector<Term> conditions;
  bool exact = true;
  bool foreign = false;  // what is read depends on what belongs to another thread and is not known
  for (int depth = 0; depth < 64; ++depth) {
    if (layer.barriers.empty()) {
      out.detail = "no store of an earlier interval is shown to have written the place";
      return out;
    }
    if (layer.entry && depth == 0) {
      out.detail = "a path from the start reaches the read without a barrier";
      return out;
    }
    layer = before(read, layer.barriers);
    if (!layer.trouble.empty()) {
      out.detail = layer.trouble;
      return out;
    }
    std::vector<Term> here;
    // On one path the later ones stand further down.
    std::sort(layer.stores.rbegin(), layer.stores.rend());
    for (int id : layer.stores) {
      const Event& store = trace_.events[static_cast<std::size_t>(id)];
      for (int loop : store.loops)
        if (trace_.loops[static_cast<std::size_t>(loop)].has_barrier &&
            std::find(read.loops.begin(), read.loops.end(), loop) == read.loops.end()) {
          out.detail = "the array is written in a loop with barriers that has ended";
          return out;
        }
      if (store.bytes != read.bytes) {
        out.detail = "the array is written and read in different widths";
        return out;
      }
      const calculus::Substitution names = others_names(store, read, "~" + std::to_string(id));
      std::vector<Term> facts;
      for (Term fact : store.scope->facts()) facts.push_back(calculus::substitute(fact, names));
      const Term offset = calculus::substitute(store.offset, names);
      auto inverse = invert(offset, unknowns(store, read), facts, read.offset, scope, arithmetic);
      if (!inverse) continue;
      // The thread itself, in the same iterations: then what is its own is the same as well.
      const bool itself = std::all_of(inverse->begin(), inverse->end(),
                                      [](const auto& pair) { return pair.first == pair.second; });
      if (itself)
        for (const auto& [own, other] : names) (*inverse)[other] = own;
      std::vector<Term> parts;
      for (Term fact : facts) {
        const Term there = simplify(calculus::substitute(fact, *inverse), scope, arithmetic);
        if (!scope->knows(there)) parts.push_back(there);
      }
      parts.push_back(
          calculus::equal(simplify(calculus::substitute(offset, *inverse), scope, arithmetic), read.offset));
      const Term condition = calculus::conjunction(parts);
      if (condition == calculus::truth(false)) continue;
      Value value = store.value;
      if (value.term != nullptr)
        value.term = simplify(calculus::substitute(calculus::substitute(value.term, names), *inverse), scope,
                              arithmetic);
      foreign =
          foreign || holds_name_of(names, value.term, itself) || holds_name_of(names, condition, itself);
      here.push_back(condition);
      conditions.push_back(condition);
      found.push_back({id, condition, value, *inverse, depth});
      if (prover_.rely(read.scope, calculus::disjunction(conditions))) {
        out.initialised = true;
        break;
      }
    }
    if (out.initialised) break;
    if (layer.carried) {
      out.detail = carried;
      return out;
    }
    if (!layer.stores.empty()) {
      // Where no writer of this interval was found there must be none, for an older one to count.
      const Term rest = calculus::negation(calculus::disjunction(here));
      for (int id : layer.stores) {
        if (exact && may_hit(id, read, {rest})) exact = false;
        settled.emplace(id, depth);
      }
      scope = Context::extend(scope, rest);
    }
    if (layer.entry && layer.barriers.empty()) {
      out.detail = "no store of an earlier interval is shown to have written the place";
      return out;
    }
  }
  if (!out.initialised) return out;
  if (!exact) {
    out.detail = "which of several stores the read sees is not known";
    return out;
  }
  if (foreign) {
    out.detail = "what is read depends on what another thread computed and is not known";
    return out;
  }
  if (out.detail = newest(read, found, settled); !out.detail.empty()) return out;
  // One value, or a choice among the writers by their conditions.
  Value value = found.back().value;
  for (std::size_t i = found.size() - 1; i-- > 0;) {
    const Value& newer = found[i].value;
    if (value.kind != newer.kind || value.term == nullptr || newer.term == nullptr ||
        value.term->sort != newer.term->sort) {
      out.detail = "stores of different kinds meet";
      return out;
    }
    value.term = calculus::select(found[i].condition, newer.term, value.term);
  }
  if (value.term != nullptr && value.kind != Value::Kind::arbitrary) out.value = value;
  return out;
}

}  // namespace hallmark::validator
