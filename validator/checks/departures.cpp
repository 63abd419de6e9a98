#include "validator/checks/departures.h"

#include <set>

namespace hallmark::validator {

using calculus::Term;

namespace {

std::set<int> closure(const Trace& trace, int start, bool forward) {
  std::set<int> out{start};
  std::vector<int> work{start};
  while (!work.empty()) {
    const TraceNode& here = trace.nodes[static_cast<std::size_t>(work.back())];
    work.pop_back();
    if (forward) {
      for (const TraceEdge& edge : here.successors)
        if (out.insert(edge.to).second) work.push_back(edge.to);
    } else {
      for (int before : here.predecessors)
        if (out.insert(before).second) work.push_back(before);
    }
  }
  return out;
}

bool is_barrier(const Trace& trace, int event) {
  return trace.events[static_cast<std::size_t>(event)].kind == Event::Kind::barrier;
}

bool meets_barrier(const Trace& trace, int start) {
  for (int n : closure(trace, start, true))
    for (int id : trace.nodes[static_cast<std::size_t>(n)].events)
      if (is_barrier(trace, id)) return true;
  return false;
}

}  // namespace

std::vector<Departure> departures(const Trace& trace, int barrier_node) {
  std::vector<Departure> out;
  const std::set<int> before = closure(trace, barrier_node, false);
  for (int n : before)
    for (const TraceEdge& edge : trace.nodes[static_cast<std::size_t>(n)].successors)
      if (n != barrier_node && edge.condition != nullptr && before.count(edge.to) == 0 &&
          !meets_barrier(trace, edge.to))
        out.push_back({n, edge.to, edge.condition});
  return out;
}

std::vector<int> last_events(const Trace& trace, const Departure& departure) {
  std::vector<int> out;
  std::set<int> seen{departure.from};
  std::vector<int> work{departure.from};
  while (!work.empty()) {
    const TraceNode& here = trace.nodes[static_cast<std::size_t>(work.back())];
    work.pop_back();
    bool barrier = false;
    for (std::size_t i = here.events.size(); i-- > 0 && !barrier;) {
      barrier = is_barrier(trace, here.events[i]);
      if (!barrier) out.push_back(here.events[i]);
    }
    if (barrier) continue;
    for (int before : here.predecessors)
      if (seen.insert(before).second) work.push_back(before);
  }
  for (int n : closure(trace, departure.to, true))
    for (int id : trace.nodes[static_cast<std::size_t>(n)].events) out.push_back(id);
  return out;
}

std::vector<int> events_after(const Trace& trace, int node, std::size_t position) {
  std::vector<int> out;
  const TraceNode& here = trace.nodes[static_cast<std::size_t>(node)];
  std::set<int> nodes;
  for (const TraceEdge& edge : here.successors) {
    const std::set<int> more = closure(trace, edge.to, true);
    nodes.insert(more.begin(), more.end());
  }
  if (nodes.count(node) == 0)
    for (std::size_t i = position + 1; i < here.events.size(); ++i) out.push_back(here.events[i]);
  for (int n : nodes)
    for (int id : trace.nodes[static_cast<std::size_t>(n)].events) out.push_back(id);
  return out;
}

}  // namespace hallmark::validator
