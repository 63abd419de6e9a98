#include "rules/induction.h"

#include <algorithm>

#include "rules/rescaled_fold.h"

namespace hallmark::rules {

using namespace calculus;

namespace {

constexpr long most_unrolled = 3;

bool mentions(Term a, Term what) {
  bool found = false;
  for_each_node(a, [&](Term n) { found = found || n == what; });
  return found;
}

// The step of a fold at this value of its variable, from these states.
std::vector<Term> stepped(const FoldParts& parts, Term at, const std::vector<Term>& states) {
  Substitution map{{parts.variable, at}};
  for (std::size_t j = 0; j < states.size(); ++j) map[parts.states[j]] = states[j];
  const Term guard = substitute(parts.guard, map);
  std::vector<Term> out;
  for (std::size_t j = 0; j < states.size(); ++j)
    out.push_back(select(guard, substitute(parts.step[j], map), states[j]));
  return out;
}

bool is_plain(const FoldParts& parts, const Order* order) {
  return order == any_order() && parts.combine.empty() &&
         std::none_of(parts.init.begin(), parts.init.end(), [](Term t) { return t->kind == Kind::extreme; });
}

// Folds over k < n + 1 as their last step, and those over a literal few written out.
Term peeled(Term term, Term n) {
  const Term next = add(n, integer(1L));
  return rewrite(term, [&](Term a) {
    if (a->kind != Kind::fold) return a;
    FoldParts parts = calculus::open(a);
    if (!is_plain(parts, a->order)) return a;
    const auto which = static_cast<std::size_t>(a->which);
    if (parts.extent == next) {
      parts.extent = n;
      std::vector<Term> before;
      for (std::size_t j = 0; j < parts.states.size(); ++j)
        before.push_back(fold(parts, static_cast<int>(j)));
      return stepped(parts, n, before)[which];
    }
    const Integer* extent = as_integer(parts.extent);
    if (extent == nullptr || *extent > most_unrolled) return a;
    std::vector<Term> states = parts.init;
    for (long k = 0; k < *extent; ++k) states = stepped(parts, integer(k), states);
    return states[which];
  });
}

// The other components of a fold over k < n, each by itself; nothing where one needs another.
bool others_alone(FoldParts parts, std::size_t which, Term n, std::vector<Term>& states) {
  parts.extent = n;
  for (std::size_t j = 0; j < parts.states.size(); ++j) {
    if (j == which) continue;
    const bool used = std::any_of(parts.step.begin(), parts.step.end(),
                                  [&](Term t) { return mentions(t, parts.states[j]); });
    const auto alone = used ? component_alone(parts, j) : std::optional<Term>(parts.init[j]);
    if (!alone) return false;
    states[j] = *alone;
  }
  return true;
}

}  // namespace

namespace {

bool divides(const Claim& claim) {
  bool found = false;
  for (Term side : {claim.left, claim.right})
    for_each_node(side, [&](Term a) {
      found = found || (a->kind == Kind::operation && (a->op == Op::div || a->op == Op::reciprocal));
    });
  return found;
}

Induction from(const Claim& base, const Claim& step, Term n, const Integer& least) {
  Induction out{base, step, step, divides(step)};
  if (!out.has_first) return out;
  const Substitution at_least{{n, integer(least)}};
  out.first.left = peeled(substitute(step.left, at_least), n);
  out.first.right = peeled(substitute(step.right, at_least), n);
  out.step.requirements.push_back(less(integer(least), n));
  return out;
}

}  // namespace

std::vector<Induction> inductions(const Claim& claim) {
  std::vector<Induction> out;
  for (const SymbolRange& range : claim.symbols) {
    const Term size = symbol(range.name);
    bool is_extent = false, besides = false;
    for (Term side : {claim.left, claim.right})
      for_each_node(side, [&](Term a) {
        if (a->kind == Kind::fold && calculus::open(a).extent == size) is_extent = true;
        if (a->kind == Kind::from_index && mentions(a, size)) besides = true;
      });
    if (!is_extent || range.low < 0 || range.low > most_unrolled) continue;
    Claim base = claim;
    base.left = peeled(substitute(claim.left, {{size, integer(range.low)}}), size);
    base.right = peeled(substitute(claim.right, {{size, integer(range.low)}}), size);
    std::string name = range.name + "'";
    while (std::any_of(claim.symbols.begin(), claim.symbols.end(),
                       [&](const SymbolRange& s) { return s.name == name; }))
      name += "'";
    const Term n = symbol(name), next = add(n, integer(1L));
    Claim step = claim;
    step.symbols.push_back({name, range.low, {}});
    step.requirements.push_back(less(n, size));
    const auto at = [&](Term t, Term value) { return substitute(t, {{size, value}}); };
    for (const auto& [whole, other] :
         {std::pair(claim.left, claim.right), std::pair(claim.right, claim.left)}) {
      if (whole->kind != Kind::fold) continue;
      FoldParts parts = calculus::open(whole);
      if (parts.extent != size || !is_plain(parts, whole->order)) continue;
      for (auto* terms : {&parts.init, &parts.step})
        for (Term& t : *terms) t = at(t, n);
      // Only the extent may be the size: n + 1 of a fold that knows its size is no step from n.
      const FoldParts written = calculus::open(whole);
      bool knows = mentions(written.guard, size);
      for (const auto* terms : {&written.init, &written.step})
        for (Term t : *terms) knows = knows || mentions(t, size);
      const auto which = static_cast<std::size_t>(whole->which);
      std::vector<Term> states(parts.states.size());
      if (knows || !others_alone(parts, which, n, states)) continue;
      states[which] = at(other, n);
      step.left = stepped(parts, n, states)[which];
      step.right = peeled(at(other, next), n);
      out.push_back(from(base, step, n, range.low));
    }
    if (!besides || (claim.left->sort != Sort::real() && claim.left->sort.kind != Sort::Kind::integer))
      continue;
    const auto sum = [&](Term a, Term b) { return operation(Op::add, {a, b}, claim.left->sort); };
    step.left = sum(peeled(at(claim.left, next), n), at(claim.right, n));
    step.right = sum(peeled(at(claim.right, next), n), at(claim.left, n));
    out.push_back(from(base, step, n, range.low));
  }
  return out;
}

}  // namespace hallmark::rules
