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

// Whether the node is the same on every call, once its children are.
bool is_fixed(const Search& search, const ENode& node) {
  if (node.payload == nullptr) return search.constants.contains(node.leaf);
  bool closed = true;
  const auto look = [&](Term term) {
    for_each_node(term, [&](Term n) { closed = closed && n->kind != Kind::symbol; });
  };
  look(node.payload);
  for (const Term extent : node.shape.extents) look(extent);
  return closed;
}

struct Best {
  Rational call, once;  // costs of a call and of loading the plan
  bool fixed = false;
  bool operator<(const Best& other) const {
    return call != other.call ? call < other.call : once < other.once;
  }
};

Rational cost_once(const Search& search, const Choice& choice, const std::vector<std::string>& outputs,
                   const NodeCost& cost) {
  std::set<ClassId> seen;
  std::vector<ClassId> order;
  for (const std::string& output : outputs)
    order_classes(search, choice, class_of(search, output), seen, order);
  Rational total = 0;
  std::set<ClassId> fixed;
  for (ClassId cls : order) {
    const ENode node = search.graph.node(choice.node.at(cls));
    bool once = is_fixed(search, node);
    for (ClassId child : node.children) once = once && fixed.contains(search.graph.find(child));
    if (once)
      fixed.insert(cls);
    else
      total += cost(node, search.graph);
  }
  return total;
}

}  // namespace

namespace {

// What the cost of a node is multiplied by; nothing: the node is not to be used.
using Weight = std::function<std::optional<Rational>(NodeId)>;

// The least fixed point of tree costs.
Choice cheapest_trees(const Search& search, const NodeCost& cost, const Weight& weight) {
  const EGraph& graph = search.graph;
  struct Alone {
    NodeId id;
    ENode node;
    Rational cost;
    bool fixed;
  };
  std::map<ClassId, std::vector<Alone>> nodes;
  for (ClassId cls : graph.classes())
    for (NodeId id : graph.nodes(cls)) {
      const auto factor = weight(id);
      if (!factor) continue;
      const ENode node = graph.node(id);
      nodes[cls].push_back({id, node, cost(node, graph) * *factor, is_fixed(search, node)});
    }
  std::map<ClassId, Best> best;
  Choice out;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [cls, all] : nodes)
      for (const Alone& one : all) {
        Best total;
        total.fixed = one.fixed;
        bool known = true;
        for (ClassId child : one.node.children) {
          const auto at = best.find(child);
          known = at != best.end();
          if (!known) break;
          total.call += at->second.call;
          total.once += at->second.once;
          total.fixed = total.fixed && at->second.fixed;
        }
        if (!known) continue;
        (total.fixed ? total.once : total.call) += one.cost;
        // Strictly cheaper, so that the earliest node wins a tie and the choice has no cycle.
        if (const auto at = best.find(cls); at != best.end() && !(total < at->second)) continue;
        best[cls] = total;
        out.node[cls] = one.id;
        changed = true;
      }
  }
  return out;
}

}  // namespace

Choice extract_by_rules(const Search& search, const NodeCost& cost, const std::set<std::size_t>& rules) {
  std::set<NodeId> made;
  for (const Application& application : search.applications)
    if (rules.contains(application.rule)) made.insert(application.nodes.begin(), application.nodes.end());
  return cheapest_trees(search, cost, [&](NodeId id) -> std::optional<Rational> {
    if (made.contains(id)) return Rational(1, 1000);
    if (search.graph.provenance(id).application < 0) return Rational(1);
    return std::nullopt;
  });
}

Extraction extract(const Search& search, const std::vector<std::string>& outputs, const NodeCost& cost) {
  const EGraph& graph = search.graph;
  std::map<ClassId, std::vector<NodeId>> nodes;
  for (ClassId cls : graph.classes()) nodes[cls] = graph.nodes(cls);
  Extraction out;
  out.choice = cheapest_trees(search, cost, [](NodeId) { return std::optional<Rational>(1); });
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
    // A model may have tensors of such names, too.
    while (names.count(cls) == 0) {
      const std::string name = "r" + std::to_string(++made);
      if (find_declaration(authored, name) == nullptr) names[cls] = name;
    }
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
