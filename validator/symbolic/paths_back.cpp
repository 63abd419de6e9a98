#include "validator/symbolic/paths_back.h"

#include <algorithm>

#include "validator/symbolic/executor.h"

namespace hallmark::validator {

using calculus::Term;

namespace {

// As many tiles as pipelines keep on their way.
constexpr int farthest_back = 5;
constexpr std::size_t most_places = 4000;

bool among(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Over symbols of the launch and these iterations alone.
bool of_the_launch(Term term, const calculus::Substitution& iterations) {
  bool ok = true;
  calculus::for_each_node(term, [&](Term node) {
    if (node->kind == calculus::Kind::variable) ok = ok && iterations.count(node) != 0;
    for (int d = 0; d < 3; ++d) ok = ok && node != thread_symbol(d);
  });
  return ok;
}

}  // namespace

bool PathsBack::stored_in(int loop, int memory) const {
  for (std::uint32_t l = 0; l < flow_.loops().size(); ++l) {
    if (flow_.loops()[l].header != trace_.loops[static_cast<std::size_t>(loop)].block) continue;
    const auto stored = stored_in_loop_.find(l);
    if (stored != stored_in_loop_.end() &&
        (stored->second.count(memory) != 0 || stored->second.count(-1) != 0))
      return true;
  }
  return false;
}

bool PathsBack::reaches(int from, int to, const std::vector<int>& without_back_edges) const {
  std::set<int> seen;
  std::vector<int> work{from};
  while (!work.empty()) {
    const int node = work.back();
    work.pop_back();
    for (const TraceEdge& edge : trace_.nodes[static_cast<std::size_t>(node)].successors) {
      if (edge.kind == TraceEdge::Kind::back && among(without_back_edges, edge.loop)) continue;
      if (edge.to == to) return true;
      if (seen.insert(edge.to).second) work.push_back(edge.to);
    }
  }
  return false;
}

bool PathsBack::precedes(int earlier, int later, const std::vector<int>& loops) const {
  const int from = trace_.events[static_cast<std::size_t>(earlier)].node,
            to = trace_.events[static_cast<std::size_t>(later)].node;
  return (from == to && earlier < later) || reaches(from, to, loops);
}

std::vector<int> PathsBack::loops_around(int node) const {
  std::vector<int> out;
  for (int l = trace_.nodes[static_cast<std::size_t>(node)].loop; l >= 0;
       l = trace_.loops[static_cast<std::size_t>(l)].parent)
    out.insert(out.begin(), l);
  return out;
}

bool PathsBack::followed(int loop, const Event& read) const {
  return stored_in(loop, read.memory) &&
         (among(read.loops, loop) || trace_.loops[static_cast<std::size_t>(loop)].has_barrier);
}

std::optional<calculus::Substitution> PathsBack::iterations(const Visits& visits) const {
  calculus::Substitution out;
  for (const Visit& visit : visits) {
    const SymbolicLoop& loop = trace_.loops[static_cast<std::size_t>(visit.loop)];
    Term now = loop.iteration;
    if (visit.ended) {
      if (loop.trips == nullptr || !of_the_launch(loop.trips, out)) return std::nullopt;
      now = calculus::substitute(loop.trips, out);
    }
    out[loop.iteration] = calculus::subtract(now, calculus::integer(visit.back));
  }
  return out;
}

PathsBack::Place PathsBack::start(const Event& read, int position) const {
  Place out{read.node, position, {}, {}};
  for (int loop : read.loops)
    if (followed(loop, read)) out.visits.push_back({loop, 0, false});
  return out;
}

// Over an edge back to `at.node`, with the visits of where the edge leads; false where the path is not
// followed.
bool PathsBack::step_back(const Event& read, const TraceEdge& edge, Place& at, Layer& layer) const {
  Visits& visits = at.visits;
  if (edge.loop >= 0 && followed(edge.loop, read)) {
    const bool inside = !visits.empty() && visits.back().loop == edge.loop;
    switch (edge.kind) {
      case TraceEdge::Kind::back:
        if (inside && visits.back().back >= farthest_back) {
          layer.beyond = true;
          return false;
        }
        if (inside) ++visits.back().back;
        break;
      case TraceEdge::Kind::enter:
        if (!inside) break;
        if (const auto now = iterations(visits)) {
          const Term it = trace_.loops[static_cast<std::size_t>(edge.loop)].iteration;
          at.when.push_back(calculus::equal(now->at(it), calculus::integer(0)));
        }
        visits.pop_back();
        break;
      case TraceEdge::Kind::leave_loop:
        visits.push_back({edge.loop, 0, true});
        break;
      case TraceEdge::Kind::plain:
        break;
    }
  }
  std::vector<int> around, kept;
  for (int loop : loops_around(at.node))
    if (followed(loop, read)) around.push_back(loop);
  for (const Visit& visit : visits) kept.push_back(visit.loop);
  if (around == kept) return true;
  layer.trouble = "a loop is entered or left in a way that is not followed";
  return false;
}

PathsBack::Layer PathsBack::before(const Event& read, const std::vector<Place>& points) const {
  Layer layer;
  using Key = std::tuple<int, Visits, std::vector<Term>>;
  std::set<Key> seen, stores;
  std::vector<Place> work = points;
  while (!work.empty()) {
    const Place at = work.back();
    work.pop_back();
    if (seen.size() > most_places) {
      layer.trouble = "too many paths lead to the read";
      return layer;
    }
    const TraceNode& here = trace_.nodes[static_cast<std::size_t>(at.node)];
    bool stopped = false;
    for (int i = at.position - 1; i >= 0 && !stopped; --i) {
      const int id = here.events[static_cast<std::size_t>(i)];
      const Event& event = trace_.events[static_cast<std::size_t>(id)];
      if (event.kind == Event::Kind::barrier) {
        layer.barriers.push_back({at.node, i, at.visits, at.when});
        stopped = true;
      } else if (event.kind == Event::Kind::atomic && (event.memory == read.memory || event.memory < 0)) {
        layer.trouble = "an atomic writes the array";
      } else if (event.kind == Event::Kind::store && event.memory < 0) {
        layer.trouble = "a store to an address that is not understood";
      } else if (event.kind == Event::Kind::store && event.memory == read.memory &&
                 stores.insert({id, at.visits, at.when}).second) {
        layer.stores.push_back({id, at.visits, at.when});
      }
    }
    if (stopped) continue;
    if (here.predecessors.empty()) layer.entry = true;
    // The back edges of a loop appear when all of it has been executed.
    for (const Visit& visit : at.visits) {
      const int header = trace_.loops[static_cast<std::size_t>(visit.loop)].header;
      if (header != at.node) continue;
      const bool closed = std::any_of(here.predecessors.begin(), here.predecessors.end(), [&](int from) {
        const auto& edges = trace_.nodes[static_cast<std::size_t>(from)].successors;
        return std::any_of(edges.begin(), edges.end(), [&](const TraceEdge& edge) {
          return edge.to == header && edge.kind == TraceEdge::Kind::back;
        });
      });
      if (!closed) layer.incomplete = true;
    }
    std::set<int> predecessors(here.predecessors.begin(), here.predecessors.end());
    for (int from : predecessors)
      for (const TraceEdge& edge : trace_.nodes[static_cast<std::size_t>(from)].successors) {
        if (edge.to != at.node) continue;
        Place next{from, static_cast<int>(trace_.nodes[static_cast<std::size_t>(from)].events.size()),
                   at.visits, at.when};
        if (!step_back(read, edge, next, layer)) continue;
        if (seen.insert({from, next.visits, next.when}).second) work.push_back(std::move(next));
      }
  }
  std::stable_sort(layer.stores.begin(), layer.stores.end(),
                   [](const Layer::Store& a, const Layer::Store& b) {
                     return std::tie(b.event, a.visits) < std::tie(a.event, b.visits);
                   });
  return layer;
}

}  // namespace hallmark::validator
