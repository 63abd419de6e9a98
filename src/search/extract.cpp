// Extraction: one node per class, by the least fixed point of tree costs.
#include <algorithm>
#include <optional>
#include <set>

#include "base/error.h"
#include "search/saturate.h"

namespace hallmark::search {

using namespace calculus;

namespace {

ClassId class_of(const Search& search, const std::string& tensor) {
  for (const auto& [name, cls] : search.authored)
    if (name == tensor) return search.graph.find(cls);
  throw InternalError("the search knows no tensor " + tensor);
}

// Classes in an order in which each comes after the children of its chosen node.
void order_classes(const Search& search, const Choice& choice, ClassId cls, std::set<ClassId>& seen,
                   std::vector<ClassId>& out) {
  cls = search.graph.find(cls);
  if (!seen.insert(cls).second) return;
  for (ClassId child : search.graph.node(choice.node.at(cls)).children)
    order_classes(search, choice, child, seen, out);
  out.push_back(cls);
}

Rational cost_once(const Search& search, const Choice& choice, const std::vector<std::string>& outputs,
                   const NodeCost& cost) {
  std::set<ClassId> seen;
  std::vector<ClassId> order;
  for (const std::string& output : outputs)
    order_classes(search, choice, class_of(search, output), seen, order);
  Rational total = 0;
  for (ClassId cls : order) total += cost(search.graph.node(choice.node.at(cls)), search.graph);
  return total;
}

}  // namespace

Extraction extract(const Search& search, const std::vector<std::string>& outputs, const NodeCost& cost) {
  const EGraph& graph = search.graph;
  std::map<ClassId, std::vector<NodeId>> nodes;
  for (ClassId cls : graph.classes()) nodes[cls] = graph.nodes(cls);
  std::map<ClassId, Rational> best;
  Extraction out;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [cls, ids] : nodes)
      for (NodeId id : ids) {
        const ENode node = graph.node(id);
        Rational total = cost(node, graph);
        bool known = true;
        for (ClassId child : node.children) {
          const auto at = best.find(child);
          known = known && at != best.end();
          if (known) total += at->second;
        }
        // Strictly cheaper, so that the earliest node wins a tie and the choice has no cycle.
        if (!known || (best.count(cls) != 0 && total >= best[cls])) continue;
        best[cls] = total;
        out.choice.node[cls] = id;
        changed = true;
      }
  }
  out.cost = cost_once(search, out.choice, outputs, cost);
  Choice authored;
  for (const auto& [cls, ids] : nodes)
    for (NodeId id : ids)
      if (graph.provenance(id).application < 0 && authored.node.count(cls) == 0) authored.node[cls] = id;
  out.authored_cost = cost_once(search, authored, outputs, cost);
  // Tree costs count shared work again and again; where that misleads, the authored route is kept.
  if (out.authored_cost <= out.cost) {
    for (const auto& [cls, id] : authored.node) out.choice.node[cls] = id;
    out.cost = out.authored_cost;
  }
  return out;
}

Program to_program(const Search& search, const Choice& choice, const Program& authored) {
  Program out = authored;
  out.definitions.clear();
  std::set<ClassId> seen;
  std::vector<ClassId> order;
  for (const std::string& output : authored.outputs)
    order_classes(search, choice, class_of(search, output), seen, order);
  std::map<ClassId, std::string> names;
  // Outputs first: an authored output must keep its name whatever other tensor shares its class.
  std::set<std::string> outputs(authored.outputs.begin(), authored.outputs.end());
  for (const auto& [name, cls] : search.authored)
    if (outputs.count(name) != 0) names.emplace(search.graph.find(cls), name);
  for (const auto& [name, cls] : search.authored) names.emplace(search.graph.find(cls), name);
  int made = 0;
  for (ClassId cls : order) {
    const NodeId id = choice.node.at(cls);
    const ENode node = search.graph.node(id);
    if (node.payload == nullptr) {
      names[cls] = node.leaf;
      continue;
    }
    if (names.count(cls) == 0) names[cls] = "r" + std::to_string(++made);
    Definition definition;
    definition.declaration = {names[cls], node.shape.format, node.shape.extents};
    std::vector<std::string> children;
    for (ClassId child : node.children) children.push_back(names.at(child));
    definition.body = from_payload(node.payload, children);
    const std::string origin = search.graph.provenance(id).authored;
    const Definition* before = find_definition(authored, origin.empty() ? names[cls] : origin);
    if (before != nullptr) {
      definition.axis_names = before->axis_names;
      definition.origin = before->origin;
    }
    for (std::size_t d = definition.axis_names.size(); d < node.shape.extents.size(); ++d)
      definition.axis_names.push_back("i" + std::to_string(d));
    out.definitions.push_back(std::move(definition));
  }
  // Two outputs of one class: the second copies the first.
  for (const std::string& output : authored.outputs) {
    if (find_declaration(out, output) != nullptr) continue;
    const ClassId cls = class_of(search, output);
    Definition copy = *find_definition(authored, output);
    std::vector<Term> indices;
    for (std::size_t d = 0; d < copy.declaration.extents.size(); ++d)
      indices.push_back(axis(static_cast<int>(d)));
    copy.body = load(names.at(cls), indices, exact_sort(copy.declaration.format));
    out.definitions.push_back(std::move(copy));
  }
  check_program(out);
  return out;
}

}  // namespace hallmark::search
