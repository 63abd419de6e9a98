#include "search/egraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/error.h"

namespace hallmark::search {

using namespace calculus;

namespace {

Term rename_loads(Term body, const std::function<std::string(const std::string&)>& name) {
  return rewrite(body, [&](Term node) {
    return node->kind == Kind::load ? load(name(node->name), node->children, node->sort) : node;
  });
}

std::vector<std::string> loads_in_order(Term body) {
  std::vector<std::string> out;
  for_each_node(body, [&](Term node) {
    if (node->kind == Kind::load && std::find(out.begin(), out.end(), node->name) == out.end())
      out.push_back(node->name);
  });
  return out;
}

}  // namespace

Term to_payload(Term body, std::vector<std::string>& children) {
  // Names take part in the order of commutative operands, so numbering by first occurrence would depend on
  // them. Among the numberings of few children the one with the least payload is taken; with many children
  // sharing may be lost, never soundness.
  const std::vector<std::string> found = loads_in_order(body);
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), 0);
  Term best = nullptr;
  do {
    const Term payload = rename_loads(body, [&](const std::string& name) {
      return "$" + std::to_string(order[static_cast<std::size_t>(std::find(found.begin(), found.end(), name) -
                                                                 found.begin())]);
    });
    if (best != nullptr && compare_terms(payload, best) >= 0) continue;
    best = payload;
    children.assign(found.size(), {});
    for (std::size_t i = 0; i < found.size(); ++i) children[order[i]] = found[i];
  } while (found.size() <= 4 && std::next_permutation(order.begin(), order.end()));
  return best;
}

Term from_payload(Term payload, const std::vector<std::string>& names) {
  return rename_loads(
      payload, [&](const std::string& placeholder) { return names.at(std::stoul(placeholder.substr(1))); });
}

ClassId EGraph::find(ClassId id) const {
  while (parent_.at(id) != id) {
    parent_[id] = parent_[parent_[id]];
    id = parent_[id];
  }
  return id;
}

ENode EGraph::canonical(ENode node) const {
  for (ClassId& child : node.children) child = find(child);
  interchange_.sort(node.payload, node.children);
  return node;
}

const std::vector<std::pair<std::size_t, std::size_t>>& Interchange::pairs_of(Term payload,
                                                                              std::size_t children) {
  if (const auto at = known_.find(payload); at != known_.end()) return at->second;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < children && children <= 8; ++i)
    for (std::size_t j = i + 1; j < children; ++j) {
      const std::string a = "$" + std::to_string(i), b = "$" + std::to_string(j);
      const Term swapped = rename_loads(payload, [&](const std::string& name) {
        return name == a ? b : name == b ? a : name;
      });
      if (swapped == payload) pairs.push_back({i, j});
    }
  return known_.emplace(payload, std::move(pairs)).first->second;
}

std::string EGraph::key(const ENode& node) {
  std::string out =
      node.leaf.empty() ? fmt::format("{}", static_cast<const void*>(node.payload)) : "leaf " + node.leaf;
  out += fmt::format(" {}", static_cast<int>(node.shape.format));
  for (Term extent : node.shape.extents) out += fmt::format(" {}", static_cast<const void*>(extent));
  for (ClassId child : node.children) out += fmt::format(" {}", child);
  return out;
}

ClassId EGraph::add(ENode node, Provenance provenance) {
  node = canonical(std::move(node));
  const std::string k = key(node);
  if (const auto found = known_.find(k); found != known_.end()) {
    last_ = found->second;
    return find(class_of_[last_]);
  }
  members_.clear();
  const NodeId id = static_cast<NodeId>(nodes_.size());
  const ClassId cls = static_cast<ClassId>(parent_.size());
  parent_.push_back(cls);
  shapes_.push_back(node.shape);
  nodes_.push_back(std::move(node));
  provenance_.push_back(std::move(provenance));
  class_of_.push_back(cls);
  known_.emplace(k, id);
  last_ = id;
  return cls;
}

void EGraph::merge(ClassId a, ClassId b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  ensure(shapes_[a] == shapes_[b], "two classes of different shapes cannot be equal");
  // The older class stays, so that canonical numbers do not depend on the order of the arguments.
  members_.clear();
  if (b < a) std::swap(a, b);
  parent_[b] = a;
}

void EGraph::rebuild() {
  for (bool changed = true; changed;) {
    changed = false;
    std::unordered_map<std::string, NodeId> fresh;
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      const std::string k = key(canonical(nodes_[id]));
      const auto [at, inserted] = fresh.emplace(k, id);
      if (inserted || find(class_of_[at->second]) == find(class_of_[id])) continue;
      merge(class_of_[at->second], class_of_[id]);
      changed = true;
    }
    known_ = std::move(fresh);
  }
}

std::vector<ClassId> EGraph::classes() const {
  std::vector<ClassId> out;
  for (ClassId id = 0; id < parent_.size(); ++id)
    if (find(id) == id) out.push_back(id);
  return out;
}

std::vector<NodeId> EGraph::nodes(ClassId id) const {
  if (members_.empty()) {
    members_.resize(parent_.size());
    for (NodeId n = 0; n < nodes_.size(); ++n) members_[find(class_of_[n])].push_back(n);
  }
  return members_.at(find(id));
}

ENode EGraph::node(NodeId id) const {
  return canonical(nodes_.at(id));
}

}  // namespace hallmark::search
