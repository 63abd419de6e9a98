#include "pipeline/rule_pairs.h"

#include <algorithm>
#include <map>

#include "rules/abstraction.h"
#include "rules/bijection.h"

namespace hallmark::pipeline {
namespace {

using namespace calculus;

bool has_fold(Term a) {
  bool found = false;
  for_each_node(a, [&](Term n) { found = found || n->kind == Kind::fold; });
  return found;
}

// Sums and extrema within a factor may be written otherwise on the other side: what is left of them is which
// elements of the outer sum they are about.
Term without_inner(Term a) {
  const bool extremum = a->kind == Kind::operation && (a->op == Op::max || a->op == Op::min) && has_fold(a);
  if (a->kind == Kind::fold || extremum) {
    const std::vector<Term> about = rules::Abstraction(a).arguments();
    return load("inner" + std::to_string(about.size()) + "'", about, a->sort);
  }
  if (a->children.empty() || !has_fold(a)) return a;
  std::vector<Term> children;
  for (Term child : a->children) children.push_back(without_inner(child));
  return rebuild(a, children);
}

// Factors with their heads: one name for each skeleton.
class Heads {
 public:
  rules::IndexSet set(const pairs::Summand& summand, std::vector<std::size_t>& order) {
    rules::IndexSet out;
    for (const pairs::Binder& b : summand.binders) out.binders.push_back({b.variable, b.extent});
    out.guard = summand.guard;
    std::vector<std::pair<rules::IndexedFactor, std::size_t>> factors;
    for (std::size_t i = 0; i < summand.factors.size(); ++i)
      factors.emplace_back(named(summand.factors[i]), i);
    std::stable_sort(factors.begin(), factors.end(),
                     [](const auto& a, const auto& b) { return a.first.head < b.first.head; });
    for (auto& [factor, at] : factors) {
      out.factors.push_back(std::move(factor));
      order.push_back(at);
    }
    return out;
  }

 private:
  rules::IndexedFactor named(Term whole) {
    const Term factor = without_inner(whole);
    if (factor->kind == Kind::load) return {factor->name, factor->children};
    const rules::Abstraction abstract(factor);
    const auto [entry, fresh] = known_.emplace(abstract.skeleton(), known_.size());
    return {"f" + std::to_string(entry->second) + "'", abstract.arguments()};
  }
  std::map<calculus::Term, std::size_t> known_;
};

void propose(const pairs::Summand& first, const pairs::Summand& second,
             const std::function<bool(const pairs::Maps&)>& use) {
  Heads heads;
  std::vector<std::size_t> first_order, second_order;
  const rules::IndexSet left = heads.set(first, first_order), right = heads.set(second, second_order);
  rules::guess_maps(left, right,
                    [&](const calculus::Substitution& phi, const calculus::Substitution& psi,
                        const std::vector<std::size_t>& pairing) {
                      pairs::Maps maps;
                      for (const pairs::Binder& b : second.binders) maps.phi.push_back(phi.at(b.variable));
                      for (const pairs::Binder& b : first.binders) maps.psi.push_back(psi.at(b.variable));
                      maps.factors.resize(first_order.size());
                      for (std::size_t i = 0; i < first_order.size(); ++i)
                        maps.factors[first_order[i]] = second_order[pairing[i]];
                      return use(maps);
                    });
}

}  // namespace

pairs::Sides sides_of(const rules::Rule& rule) {
  if (rule.unbounded) throw pairs::NotShown{"numbers that are wider than their formats"};
  return pairs::sides_of(rule.name, rule.symbols, rule.requirements, rule.tensors, rule.left, rule.right);
}

std::vector<pairs::Sides> sides_of(const rules::RuleFamily& family) {
  std::vector<pairs::Sides> out;
  for (std::size_t i = 0; i < family.instances.size(); ++i) {
    bool wanted = true;
    for (std::size_t c = 0; c < family.classes.size(); ++c)
      wanted = wanted && family.ranks[i][c] <= family.proved_ranks[c];
    if (wanted) out.push_back(sides_of(family.instances[i]));
  }
  return out;
}

bool is_of_sums(const std::string& strength) {
  return strength == "reals" || strength == "ring" || strength == "wrap-around integers";
}

std::optional<std::vector<std::string>> find_pairs(const std::vector<pairs::Sides>& instances) {
  return pairs::find(instances, propose);
}

}  // namespace hallmark::pipeline
