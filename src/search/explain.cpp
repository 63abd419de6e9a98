#include "search/explain.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.h"

namespace hallmark::search {

using namespace calculus;

namespace {

constexpr std::size_t most_to_shorten = 24;

std::string step_name(std::int64_t application, const std::string& definition) {
  return "step" + std::to_string(application) + "." + definition;
}

// The name of a class is that of its oldest node: an authored tensor, or a definition of a step's right side.
std::map<ClassId, std::string> class_names(const Search& search) {
  std::map<ClassId, std::string> names;
  for (ClassId cls : search.graph.classes()) {
    const Provenance& p = search.graph.provenance(search.graph.nodes(cls).front());
    names[cls] = p.application < 0 ? p.authored : step_name(p.application, p.definition);
  }
  return names;
}

Step make_step(const Search& search, std::size_t index, const std::vector<rules::Rule>& rules,
               const std::map<ClassId, std::string>& names) {
  const Application& application = search.applications[index];
  const rules::Rule& rule = rules[application.rule];
  Step step;
  step.rule = rule.name;
  step.rule_digest = rules::digest(rule);
  std::set<std::string> seen;
  for (const Declaration& tensor : rule.tensors) {
    if (application.match.constants.count(tensor.name) != 0) continue;
    const ClassId cls = search.graph.find(application.match.tensors.at(tensor.name));
    if (!seen.insert(names.at(cls)).second) continue;
    step.tensors.push_back({names.at(cls), search.graph.shape(cls).format, search.graph.shape(cls).extents});
  }
  step.unbounded = rule.unbounded;
  if (rule.unbounded) {
    const rules::WholeRanges all = ranges_of(search, names);
    for (const Declaration& t : step.tensors)
      if (const auto at = all.find(t.name); at != all.end()) step.ranges.insert(*at);
  }
  const std::string prefix = "step" + std::to_string(index) + ".";
  step.left =
      instantiate_side(rule.left, rule, application.match, names, search.graph, prefix + "left.").definitions;
  step.right = instantiate_side(rule.right, rule, application.match, names, search.graph, prefix).definitions;
  return step;
}

// The nodes that the program of a choice consists of.
std::set<NodeId> chosen_nodes(const Search& search, const Choice& choice, const Program& authored) {
  std::vector<ClassId> wanted;
  for (const auto& [name, cls] : search.authored)
    if (std::find(authored.outputs.begin(), authored.outputs.end(), name) != authored.outputs.end())
      wanted.push_back(search.graph.find(cls));
  std::set<NodeId> out;
  while (!wanted.empty()) {
    const NodeId id = choice.node.at(wanted.back());
    wanted.pop_back();
    if (!out.insert(id).second) continue;
    for (const ClassId child : search.graph.node(id).children) wanted.push_back(search.graph.find(child));
  }
  return out;
}

// Fewer steps: leaves out halves, quarters, ... and single steps as long as the rest still connects.
std::vector<Step> fewer_steps(std::vector<Step> steps,
                              const std::function<bool(const std::vector<Step>&)>& connects) {
  for (std::size_t chunk = std::max<std::size_t>(1, steps.size() / 2); chunk >= 1; chunk /= 2) {
    for (std::size_t at = 0; at < steps.size();) {
      std::vector<Step> fewer(steps.begin(), steps.begin() + static_cast<long>(at));
      const std::size_t end = std::min(steps.size(), at + chunk);
      fewer.insert(fewer.end(), steps.begin() + static_cast<long>(end), steps.end());
      if (connects(fewer))
        steps = std::move(fewer);
      else
        at = end;
    }
    if (chunk == 1) break;
  }
  return steps;
}

// A naive congruence closure over named tensors.
class Closure {
 public:
  // A tensor that is not defined here, perhaps named before; always with one shape. What a step says of it
  // holds for whatever it contains.
  void leaf(const Declaration& d) {
    parent_.emplace(d.name, d.name);
    const auto [at, fresh] = shapes_.emplace(d.name, Shape{d.format, d.extents});
    if (!fresh && !(at->second == Shape{d.format, d.extents}))
      complain("a step takes " + d.name + " for a tensor of another shape");
  }

  void define(const std::string& name, const Definition& d,
              const std::map<std::string, std::string>& rename) {
    // A second definition of a name would make two tensors equal without a reason.
    if (!defined_.insert(name).second || parent_.contains(name)) complain(name + " is defined twice");
    leaf({name, d.declaration.format, d.declaration.extents});
    Entry entry;
    entry.name = name;
    entry.format = d.declaration.format;
    entry.extents = d.declaration.extents;
    entry.payload = to_payload(d.body, entry.children);
    for (std::string& child : entry.children)
      if (const auto at = rename.find(child); at != rename.end()) child = at->second;
    entries_.push_back(std::move(entry));
  }

  void merge(const std::string& a, const std::string& b) {
    const std::string x = find(a), y = find(b);
    if (x != y) parent_[y] = x;
  }

  std::string find(const std::string& name) {
    parent_.emplace(name, name);
    std::string at = name;
    while (parent_[at] != at) at = parent_[at];
    parent_[name] = at;
    return at;
  }

  // The first thing that must not be in an explanation; empty when there is none.
  const std::string& failure() const { return failure_; }

  void close() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Entry& entry : entries_) {
        if (!repeats(entry)) continue;
        // A definition that only repeats a tensor is that tensor. One that repeats a part of it, from the
        // first element on, is another tensor: two tensors that begin alike may differ. But what reads an
        // element of the part reads that element of the whole.
        const std::string whole = find(entry.children[0]), part = find(entry.name);
        if (whole == part) continue;
        if (shapes_.at(entry.children[0]).extents == entry.extents) {
          merge(whole, part);
          changed = true;
        } else if (whole_of_.emplace(part, whole).second) {
          changed = true;
        }
      }
      std::map<std::tuple<Term, Format, std::vector<Term>, std::vector<std::string>>, std::string> known;
      for (const Entry& entry : entries_) {
        std::vector<std::string> children;
        for (const std::string& child : entry.children) children.push_back(source(child));
        interchange_.sort(entry.payload, children);
        const auto [at, inserted] =
            known.emplace(std::make_tuple(entry.payload, entry.format, entry.extents, children), entry.name);
        if (inserted || find(at->second) == find(entry.name)) continue;
        merge(at->second, entry.name);
        changed = true;
      }
    }
  }

 private:
  struct Entry {
    std::string name;
    Format format;
    std::vector<Term> extents;
    Term payload;
    std::vector<std::string> children;
  };
  void complain(const std::string& what) {
    if (failure_.empty()) failure_ = what;
  }

  // Of what a read of the tensor reads.
  std::string source(const std::string& name) {
    std::string at = find(name);
    std::set<std::string> seen;
    while (seen.insert(at).second) {
      const auto whole = whole_of_.find(at);
      if (whole == whole_of_.end()) break;
      at = find(whole->second);
    }
    return at;
  }

  static bool repeats(const Entry& entry) {
    if (entry.payload->kind != Kind::load || entry.payload->children.size() != entry.extents.size())
      return false;
    for (std::size_t d = 0; d < entry.extents.size(); ++d)
      if (entry.payload->children[d] != axis(static_cast<int>(d))) return false;
    return true;
  }
  std::vector<Entry> entries_;
  std::map<std::string, Shape> shapes_;
  std::set<std::string> defined_;
  std::string failure_;
  std::map<std::string, std::string>
      whole_of_;  // class of a part, as it was named then, to that of the whole
  Interchange interchange_;
  std::map<std::string, std::string> parent_;
};

void add_program(Closure& closure, const Program& program) {
  for (const Declaration& d : program.inputs) closure.leaf(d);
  for (const Constant& c : program.constants) closure.leaf(c.declaration);
  for (const Definition& d : program.definitions) closure.define(d.declaration.name, d, {});
}

void add_steps(Closure& closure, const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    for (const Declaration& d : step.tensors) closure.leaf(d);
    for (const auto* side : {&step.left, &step.right})
      for (const Definition& d : *side) closure.define(d.declaration.name, d, {});
    closure.merge(step.left.back().declaration.name, step.right.back().declaration.name);
  }
}

}  // namespace

std::string check_explanation(const Program& authored, const Program& elected,
                              const std::vector<Step>& steps) {
  Closure closure;
  add_program(closure, authored);
  add_steps(closure, steps);
  std::map<std::string, std::string> rename;
  for (const Definition& d : elected.definitions)
    rename[d.declaration.name] = "elected " + d.declaration.name;
  for (const Definition& d : elected.definitions) closure.define(rename.at(d.declaration.name), d, rename);
  if (!closure.failure().empty()) return closure.failure();
  closure.close();
  for (const std::string& output : authored.outputs) {
    const auto renamed = rename.find(output);
    if (closure.find(renamed != rename.end() ? renamed->second : output) != closure.find(output))
      return "the steps do not connect the elected " + output + " with the authored one";
  }
  return {};
}

std::vector<Step> steps_of(const Search& search, const std::vector<rules::Rule>& rules) {
  const std::map<ClassId, std::string> names = class_names(search);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < search.applications.size(); ++i)
    steps.push_back(make_step(search, i, rules, names));
  return steps;
}

std::string check_equalities(const Program& program, const Equalities& wanted,
                             const std::vector<Step>& steps) {
  Closure closure;
  add_program(closure, program);
  add_steps(closure, steps);
  if (!closure.failure().empty()) return closure.failure();
  closure.close();
  for (const auto& [a, b] : wanted)
    if (closure.find(a) != closure.find(b)) return "the steps do not connect " + a + " with " + b;
  return {};
}

std::vector<Step> needed_steps(const Program& program, const Equalities& wanted, std::vector<Step> steps) {
  return fewer_steps(std::move(steps), [&](const std::vector<Step>& fewer) {
    return check_equalities(program, wanted, fewer).empty();
  });
}

Explanation explain(const Search& search, const Choice& choice, const std::vector<rules::Rule>& rules,
                    const Program& authored) {
  Explanation out;
  const Program elected = to_program(search, choice, authored);
  if (check_explanation(authored, elected, {}).empty()) return out;
  const std::map<ClassId, std::string> names = class_names(search);
  // The applications that made what was chosen are nearly always enough.
  const std::set<NodeId> chosen = chosen_nodes(search, choice, authored);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < search.applications.size(); ++i) {
    const std::vector<NodeId>& made = search.applications[i].nodes;
    if (std::any_of(made.begin(), made.end(), [&](NodeId id) {
          return chosen.contains(id) && search.graph.provenance(id).application >= 0;
        }))
      steps.push_back(make_step(search, i, rules, names));
  }
  if (check_explanation(authored, elected, steps).empty()) {
    // Leaving out single ones of many would cost more than proving one too many.
    if (steps.size() > most_to_shorten) {
      out.steps = std::move(steps);
      return out;
    }
  } else {
    steps.clear();
    for (std::size_t i = 0; i < search.applications.size(); ++i)
      steps.push_back(make_step(search, i, rules, names));
  }
  const std::string failure = check_explanation(authored, elected, steps);
  ensure(failure.empty(), "the explanation does not replay: " + failure);
  out.steps = fewer_steps(std::move(steps), [&](const std::vector<Step>& fewer) {
    return check_explanation(authored, elected, fewer).empty();
  });
  return out;
}

}  // namespace hallmark::search
