#include "search/saturate.h"

#include "base/error.h"
#include "rules/whole.h"

namespace hallmark::search {

using namespace calculus;

std::string_view name(StopReason reason) {
  switch (reason) {
    case StopReason::saturated:
      return "saturated";
    case StopReason::node_limit:
      return "node limit";
    case StopReason::iteration_limit:
      return "iteration limit";
    case StopReason::application_limit:
      return "application limit";
  }
  throw InternalError("a stop reason without a name");
}

namespace {

void add_authored(const Program& exact, Search& search) {
  std::map<std::string, ClassId> classes;
  const auto leaf = [&](const Declaration& d) {
    ENode node;
    node.leaf = d.name;
    node.shape = {d.format, d.extents};
    classes[d.name] = search.graph.add(std::move(node), {d.name, -1, {}});
    search.authored.push_back({d.name, classes[d.name]});
  };
  for (const Declaration& input : exact.inputs) leaf(input);
  for (const Constant& constant : exact.constants) {
    leaf(constant.declaration);
    search.constants.insert(constant.declaration.name);
  }
  for (const Definition& definition : exact.definitions) {
    ENode node;
    std::vector<std::string> children;
    node.payload = to_payload(definition.body, children);
    for (const std::string& child : children) node.children.push_back(classes.at(child));
    node.shape = {definition.declaration.format, definition.declaration.extents};
    classes[definition.declaration.name] =
        search.graph.add(std::move(node), {definition.declaration.name, -1, {}});
    search.authored.push_back({definition.declaration.name, classes[definition.declaration.name]});
  }
}

struct Pending {
  std::size_t rule;
  Match match;
};

std::string key_of(std::size_t rule, const Match& match, const EGraph& graph) {
  std::string out = std::to_string(rule) + " " + std::to_string(graph.find(match.root));
  for (const auto& [name, cls] : match.tensors) out += " " + name + "=" + std::to_string(graph.find(cls));
  for (const auto& [name, value] : match.symbols) out += " " + name + "=" + std::to_string(value->hash);
  for (const auto& [name, value] : match.constants) out += " " + name + "=" + std::to_string(value->hash);
  return out;
}

// Which classes may have matches that they had not when they were looked at last: a match of n definitions
// sees n levels of classes below its root. The graph says no more, so what is skipped would be found again.
class Changes {
 public:
  explicit Changes(const EGraph& graph) : graph_(graph) {}

  // Compares the graph with what it was at the last call; at first everything is new.
  void look() {
    levels_.clear();
    std::map<ClassId, std::size_t> members;
    std::set<ClassId> changed;
    for (const ClassId cls : graph_.classes()) {
      members[cls] = graph_.nodes(cls).size();
      const auto before = members_.find(cls);
      if (before == members_.end() || before->second != members[cls]) changed.insert(cls);
    }
    members_ = std::move(members);
    levels_.push_back(std::move(changed));
  }

  bool within(ClassId cls, std::size_t levels) {
    while (levels_.size() <= levels) {
      std::set<ClassId> above = levels_.back();
      for (const auto& [parent, count] : members_)
        for (const NodeId id : graph_.nodes(parent))
          for (const ClassId child : graph_.node(id).children)
            if (levels_.back().contains(graph_.find(child))) above.insert(parent);
      levels_.push_back(std::move(above));
    }
    return levels_[levels].contains(cls);
  }

 private:
  const EGraph& graph_;
  std::map<ClassId, std::size_t> members_;
  std::vector<std::set<ClassId>> levels_;  // what changed, or has something that did at most i levels below
};

// Whether a rule about Z says something of the integers that stand here.
bool stays_whole(const rules::Rule& rule, const Match& match, const Search& search) {
  if (!rule.unbounded) return true;
  std::map<ClassId, std::string> names;
  for (const auto& [tensor, cls] : match.tensors)
    names[search.graph.find(cls)] = "class " + std::to_string(search.graph.find(cls));
  const rules::WholeRanges ranges = ranges_of(search, names);
  for (const auto* side : {&rule.left, &rule.right}) {
    const Instance instance = instantiate_side(*side, rule, match, names, search.graph, "side ");
    if (!rules::may_wrap(instance.definitions, search.graph.symbols(), ranges).empty()) return false;
  }
  return true;
}

}  // namespace

rules::WholeRanges ranges_of(const Search& search, const std::map<ClassId, std::string>& names) {
  rules::WholeRanges out;
  for (const auto& [cls, name] : names) {
    const Provenance& p = search.graph.provenance(search.graph.nodes(cls).front());
    const auto known = search.ranges.find(p.authored);
    if (p.application < 0 && known != search.ranges.end()) out[name] = known->second;
  }
  return out;
}

Search grow(const Program& exact, const std::vector<rules::Rule>& rules, const Budget& budget,
            const rules::WholeRanges& ranges) {
  Search search;
  search.ranges = rules::with_definitions(exact.definitions, exact.symbols, ranges);
  search.graph.set_symbols(exact.symbols);
  add_authored(exact, search);
  search.graph.rebuild();
  std::map<std::string, bool> done;
  search.stop = StopReason::iteration_limit;
  Changes changes(search.graph);
  for (std::size_t round = 0; round < budget.iterations; ++round) {
    Iteration iteration;
    iteration.fired.assign(rules.size(), 0);
    std::vector<Pending> pending;
    changes.look();
    const std::vector<ClassId> classes = search.graph.classes();
    for (std::size_t r = 0; r < rules.size(); ++r)
      for (ClassId cls : classes)
        if (changes.within(cls, rules[r].left.size()))
          for (Match& match : match_rule(rules[r], search.graph, cls))
            if (!done[key_of(r, match, search.graph)]) pending.push_back({r, std::move(match)});
    bool limited = false;
    for (Pending& p : pending) {
      const std::string key = key_of(p.rule, p.match, search.graph);
      if (done[key]) continue;
      if (search.graph.node_count() >= budget.nodes) {
        search.stop = StopReason::node_limit;
        limited = true;
        break;
      }
      if (search.applications.size() >= budget.applications) {
        search.stop = StopReason::application_limit;
        limited = true;
        break;
      }
      done[key] = true;
      // A rule whose sides have other shapes here does not apply: SHAPE is proved for its preconditions,
      // formats are not its matter.
      if (!right_side_fits(rules[p.rule], p.match, search.graph) ||
          !stays_whole(rules[p.rule], p.match, search))
        continue;
      std::vector<NodeId> nodes;
      const ClassId right =
          add_right_side(rules[p.rule], p.match, search.graph,
                         {{}, static_cast<std::int64_t>(search.applications.size()), {}}, nodes);
      const ClassId left = p.match.root;
      if (!(search.graph.shape(left) == search.graph.shape(right))) continue;
      ++iteration.fired[p.rule];
      search.applications.push_back({p.rule, std::move(p.match), left, right, std::move(nodes)});
      search.graph.merge(left, right);
    }
    search.graph.rebuild();
    iteration.nodes = search.graph.node_count();
    iteration.classes = search.graph.classes().size();
    search.iterations.push_back(iteration);
    if (limited) break;
    if (pending.empty()) {
      search.stop = StopReason::saturated;
      break;
    }
  }
  return search;
}

}  // namespace hallmark::search
