#include "validator/symbolic/writers.h"

#include <algorithm>

#include "base/error.h"
#include "validator/symbolic/executor.h"

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
    return c != nullptr && *c > 0 ? arithmetic.divide(node->children[0], *c, scope) : node;
  });
}

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
    for (int loop : read.loops) {
      const SymbolicLoop& around = trace_.loops[static_cast<std::size_t>(loop)];
      if (around.header != node) continue;
      for (std::uint32_t l = 0; l < flow_.loops().size(); ++l) {
        if (flow_.loops()[l].header != around.block) continue;
        const auto stored = stored_in_loop_.find(l);
        if (stored != stored_in_loop_.end() &&
            (stored->second.count(read.memory) != 0 || stored->second.count(-1) != 0))
          layer.carried = true;
      }
    }
    if (here.predecessors.empty()) layer.entry = true;
    for (int predecessor : here.predecessors)
      if (seen.insert(predecessor).second)
        work.emplace_back(
            predecessor, static_cast<int>(trace_.nodes[static_cast<std::size_t>(predecessor)].events.size()));
  }
  return layer;
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
  std::vector<std::pair<Term, Value>> found;  // newest first
  std::vector<Term> conditions;
  bool exact = true;
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
      const auto inverse =
          invert(store.offset, unknowns(store, read), store.scope->facts(), read.offset, scope, arithmetic);
      if (!inverse) continue;
      std::vector<Term> parts;
      for (Term fact : store.scope->facts()) {
        const Term there = simplify(calculus::substitute(fact, *inverse), scope, arithmetic);
        if (!scope->knows(there)) parts.push_back(there);
      }
      parts.push_back(calculus::equal(
          simplify(calculus::substitute(store.offset, *inverse), scope, arithmetic), read.offset));
      const Term condition = calculus::conjunction(parts);
      if (condition == calculus::truth(false)) continue;
      Value value = store.value;
      if (value.term != nullptr)
        value.term = simplify(calculus::substitute(value.term, *inverse), scope, arithmetic);
      here.push_back(condition);
      conditions.push_back(condition);
      found.emplace_back(condition, value);
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
        const Event& store = trace_.events[static_cast<std::size_t>(id)];
        calculus::Substitution primed;
        for (Term u : unknowns(store, read)) primed[u] = calculus::variable(u->name + "'");
        Scope both = Context::extend(read.scope, rest);
        std::vector<Term> facts;
        for (Term fact : store.scope->facts()) facts.push_back(calculus::substitute(fact, primed));
        facts.push_back(calculus::equal(calculus::substitute(store.offset, primed), read.offset));
        if (exact && !prover_.rely(Context::extend(both, facts), calculus::truth(false))) exact = false;
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
  // One value, or a choice among the writers by their conditions.
  Value value = found.back().second;
  for (std::size_t i = found.size() - 1; i-- > 0;) {
    if (value.kind != found[i].second.kind || value.term == nullptr || found[i].second.term == nullptr ||
        value.term->sort != found[i].second.term->sort) {
      out.detail = "stores of different kinds meet";
      return out;
    }
    value.term = calculus::select(found[i].first, found[i].second.term, value.term);
  }
  if (value.term != nullptr && value.kind != Value::Kind::arbitrary) out.value = value;
  return out;
}

}  // namespace hallmark::validator
