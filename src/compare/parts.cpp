#include "compare/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "rules/rule.h"

namespace hallmark::compare {

using namespace calculus;

namespace {

constexpr std::size_t most_parts = 64;

class Finder {
 public:
  explicit Finder(const Pair& pair) {
    for (const Constant& c : pair.program.constants) constants_.insert(c.declaration.name);
    for (const Definition& d : pair.program.definitions) {
      if (pair.second.count(d.declaration.name) != 0) continue;
      extents_ = &d.declaration.extents;
      look(d.body);
    }
  }

  std::vector<Definition> take() { return std::move(found_); }

 private:
  // Indices, and elements of constants at them.
  bool closed(Term t) {
    const auto known = closed_.find(t);
    if (known != closed_.end()) return known->second;
    bool out = t->kind != Kind::symbol && t->kind != Kind::fold && !t->open &&
               (t->kind != Kind::load || constants_.count(t->name) != 0);
    for (Term child : t->children) out = out && closed(child);
    closed_.emplace(t, out);
    return out;
  }

  void look(Term t) {
    if (t->sort == Sort::real() && t->kind == Kind::operation && closed(t)) {
      keep(t);
      return;
    }
    for (Term child : t->children) look(child);
  }

  void keep(Term t) {
    std::map<int, int> axes;  // of the definition, and of the part
    bool reads = false;
    for_each_node(t, [&](Term n) {
      reads = reads || n->kind == Kind::load;
      if (n->kind == Kind::axis) axes.emplace(n->number, 0);
    });
    if (!reads || found_.size() >= most_parts) return;
    Definition d;
    d.declaration.format = Format::f32;
    Substitution moved;
    for (auto& [from, to] : axes) {
      const Term extent = extents_->at(static_cast<std::size_t>(from));
      if (as_integer(extent) == nullptr) return;
      to = static_cast<int>(d.declaration.extents.size());
      moved[axis(from)] = axis(to);
      d.axis_names.push_back(fmt::format("i{}", to));
      d.declaration.extents.push_back(extent);
    }
    d.body = substitute(t, moved);
    for (const Definition& other : found_)
      if (other.body == d.body && other.declaration.extents == d.declaration.extents) return;
    d.declaration.name = fmt::format("part.{}", found_.size());
    d.origin = "part of the first model";
    found_.push_back(std::move(d));
  }

  std::set<std::string> constants_;
  const std::vector<Term>* extents_ = nullptr;
  std::map<Term, bool> closed_;
  std::vector<Definition> found_;
};

}  // namespace

std::vector<Definition> closed_parts(const Pair& pair) {
  return Finder(pair).take();
}

Term with_parts(Term body, const std::vector<Definition>& parts) {
  return rules::inline_all(body, parts);
}

}  // namespace hallmark::compare
