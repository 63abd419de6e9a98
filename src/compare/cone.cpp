#include "compare/cone.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/error.h"

namespace hallmark::compare {

using namespace calculus;

namespace {

constexpr std::size_t most_definitions = 60;

Term renamed(Term body, const std::function<std::string(const std::string&)>& name) {
  return rewrite(
      body, [&](Term n) { return n->kind == Kind::load ? load(name(n->name), n->children, n->sort) : n; });
}

std::vector<std::string> reads(Term body) {
  std::vector<std::string> out;
  for_each_node(body, [&](Term n) {
    if (n->kind == Kind::load && std::find(out.begin(), out.end(), n->name) == out.end())
      out.push_back(n->name);
  });
  return out;
}

// The tensor that the body repeats, or nothing.
std::string copied(const Definition& d, Term body) {
  if (body->kind != Kind::load || body->children.size() != d.declaration.extents.size()) return {};
  for (std::size_t i = 0; i < body->children.size(); ++i)
    if (body->children[i] != axis(static_cast<int>(i))) return {};
  return body->name;
}

// Interned terms are equal when their addresses are; the text is used as a key within one run and never
// printed.
std::string key(const Definition& d, Term body) {
  std::string out =
      fmt::format("{} {}", static_cast<const void*>(body), static_cast<int>(d.declaration.format));
  for (Term e : d.declaration.extents) out += fmt::format(" {}", static_cast<const void*>(e));
  return out;
}

}  // namespace

Cones::Cones(const Pair& pair) : pair_(pair) {
  for (const Declaration& d : pair.program.inputs) declarations_[d.name] = &d;
  for (const Constant& c : pair.program.constants) declarations_[c.declaration.name] = &c.declaration;
  const auto canonical = [&](const std::string& name) {
    const auto at = canonical_.find(name);
    return at == canonical_.end() ? name : at->second;
  };
  for (const Definition& d : pair.program.definitions) {
    declarations_[d.declaration.name] = &d.declaration;
    definitions_[d.declaration.name] = &d;
    if (pair.second.count(d.declaration.name) != 0) continue;
    const Term body = renamed(d.body, canonical);
    if (const std::string of = copied(d, body);
        !of.empty() && declaration(of).format == d.declaration.format) {
      canonical_[d.declaration.name] = of;
      continue;
    }
    const auto [at, inserted] = first_.emplace(key(d, body), d.declaration.name);
    if (!inserted) canonical_[d.declaration.name] = at->second;
  }
}

const Definition* Cones::definition(const std::string& name) const {
  const auto at = definitions_.find(name);
  return at == definitions_.end() ? nullptr : at->second;
}

const Declaration& Cones::declaration(const std::string& name) const {
  const auto at = declarations_.find(name);
  ensure(at != declarations_.end(), "a comparison reads an unknown tensor " + name);
  return *at->second;
}

bool Cones::known_by_congruence(const Definition& right) {
  const Term body = renamed(right.body, [&](const std::string& name) {
    const auto at = partner_.find(name);
    const std::string of = at == partner_.end() ? name : at->second;
    const auto canonical = canonical_.find(of);
    return canonical == canonical_.end() ? of : canonical->second;
  });
  if (const std::string of = copied(right, body);
      !of.empty() && pair_.second.count(of) == 0 && declaration(of).format == right.declaration.format) {
    partner_[right.declaration.name] = of;
    return true;
  }
  const auto at = first_.find(key(right, body));
  if (at == first_.end()) return false;
  partner_[right.declaration.name] = at->second;
  return true;
}

bool Cones::follow_right(const std::string& name, int depth, std::map<std::string, int>& seen,
                         std::vector<std::string>& order, std::set<std::string>& cut) const {
  const Definition* d = definition(name);
  const auto partner = partner_.find(name);
  if (d == nullptr || pair_.second.count(name) == 0) {
    cut.insert(name);
    return true;
  }
  if (partner != partner_.end()) {
    if (depth <= 0) {
      cut.insert(partner->second);
      return true;
    }
    --depth;
  }
  const auto [at, inserted] = seen.emplace(name, depth);
  if (!inserted) return true;
  for (const std::string& child : reads(d->body))
    if (!follow_right(child, depth, seen, order, cut)) return false;
  order.push_back(name);
  return order.size() <= most_definitions;
}

bool Cones::follow_left(const std::string& name, const std::set<std::string>& cut,
                        std::set<std::string>& seen, std::vector<std::string>& order,
                        std::set<std::string>& leaves) const {
  const Definition* d = definition(name);
  if (d == nullptr || cut.count(name) != 0) {
    leaves.insert(name);
    return true;
  }
  if (!seen.insert(name).second) return true;
  for (const std::string& child : reads(d->body))
    if (!follow_left(child, cut, seen, order, leaves)) return false;
  order.push_back(name);
  return order.size() <= most_definitions;
}

std::optional<search::Step> Cones::step(const std::string& left, const std::string& right, int depth,
                                        std::size_t number) const {
  std::map<std::string, int> passed;
  std::vector<std::string> right_order, left_order;
  std::set<std::string> cut, seen, leaves;
  const Definition* last = definition(right);
  ensure(last != nullptr, "a comparison of no definition: " + right);
  for (const std::string& child : reads(last->body))
    if (!follow_right(child, depth, passed, right_order, cut)) return std::nullopt;
  right_order.push_back(right);
  if (!follow_left(left, cut, seen, left_order, leaves)) return std::nullopt;

  search::Step out;
  out.rule = "calculus";
  leaves.insert(cut.begin(), cut.end());
  for (const std::string& leaf : leaves) {
    out.tensors.push_back(declaration(leaf));
    out.tensors.back().name = leaf;
  }
  const auto side = [&](const std::vector<std::string>& order, const std::string& prefix, bool second) {
    std::set<std::string> inside(order.begin(), order.end());
    std::vector<Definition> definitions;
    for (const std::string& name : order) {
      Definition d = *definition(name);
      d.declaration.name = prefix + name;
      d.body = renamed(d.body, [&](const std::string& child) {
        if (inside.count(child) != 0) return prefix + child;
        const auto partner = partner_.find(child);
        return second && partner != partner_.end() ? partner->second : child;
      });
      definitions.push_back(std::move(d));
    }
    return definitions;
  };
  out.left = side(left_order, fmt::format("link{}.left.", number), false);
  out.right = side(right_order, fmt::format("link{}.right.", number), true);
  if (out.left.empty()) {
    // The left side is a tensor of the cut itself.
    Definition copy;
    copy.declaration = declaration(left);
    copy.declaration.name = fmt::format("link{}.left.{}", number, left);
    std::vector<Term> at;
    for (std::size_t d = 0; d < copy.declaration.extents.size(); ++d) {
      at.push_back(axis(static_cast<int>(d)));
      copy.axis_names.push_back(fmt::format("i{}", d));
    }
    copy.body = load(left, at, exact_sort(copy.declaration.format));
    out.left.push_back(std::move(copy));
  }
  out.rule_digest = "";
  return out;
}

}  // namespace hallmark::compare
