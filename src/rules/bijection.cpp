#include "rules/bijection.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "calculus/text/text.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

struct Equation {
  Term source, target;  // source mentions unknowns; target is known
};

bool mentions_any(Term a, const std::vector<Term>& unknowns) {
  bool found = false;
  for_each_node(
      a, [&](Term n) { found = found || std::find(unknowns.begin(), unknowns.end(), n) != unknowns.end(); });
  return found;
}

// Solves the equations for the unknowns in terms of everything else. `extents` bound the unknowns: an unknown
// of extent B that occurs as `B * q + r` beside it is found by division with remainder (law DIVMOD).
class Solver {
 public:
  Solver(const std::vector<Binder>& unknowns, std::vector<Equation> equations, Term guard)
      : unknowns_(unknowns), equations_(std::move(equations)) {
    // Equalities of the guard are equations too: a one-hot sum has its index there (law DELTA).
    const std::vector<Term> parts =
        guard->kind == Kind::conjunction ? guard->children : std::vector<Term>{guard};
    for (Term part : parts) {
      if (part->kind == Kind::is_zero) equations_.push_back({part->children[0], integer(Integer(0))});
      if (part->kind == Kind::at_most_zero) bounds_.push_back(part);
    }
  }

  // `with_bounds`: what no equation determines is the least that the guard allows.
  std::optional<Substitution> solve(bool with_bounds = false) {
    Substitution found;
    bool progress = true;
    while (progress && found.size() < unknowns_.size()) {
      progress = false;
      for (const Binder& unknown : unknowns_) {
        if (found.count(unknown.variable) != 0) continue;
        const Term value = value_of(unknown, found);
        if (value == nullptr) continue;
        found[unknown.variable] = value;
        progress = true;
      }
    }
    for (const Binder& unknown : unknowns_) {
      if (found.count(unknown.variable) != 0) continue;
      // Nothing determines it; in a set of one element it is 0, or the least that the guard allows.
      const Term least = with_bounds ? least_allowed(unknown, found) : nullptr;
      if (least == nullptr && (as_integer(unknown.extent) == nullptr || *as_integer(unknown.extent) != 1))
        return std::nullopt;
      found[unknown.variable] = least != nullptr ? least : integer(Integer(0));
    }
    return found;
  }

 private:
  // The lower end of a condition of the guard on the unknown; that the set has no other element is for the
  // check of the maps.
  Term least_allowed(const Binder& unknown, const Substitution& found) const {
    for (Term part : bounds_) {
      Term coefficient = nullptr, rest = nullptr;
      const Term bound = substitute(part->children[0], found);
      if (affine_in(bound, unknown.variable, coefficient, rest) && coefficient == integer(Integer(-1)) &&
          !mentions_any(rest, open_unknowns(found, unknown.variable)))
        return rest;
    }
    return nullptr;
  }

  std::vector<Term> open_unknowns(const Substitution& found, Term except) const {
    std::vector<Term> out;
    for (const Binder& u : unknowns_)
      if (u.variable != except && found.count(u.variable) == 0) out.push_back(u.variable);
    return out;
  }

  Term value_of(const Binder& unknown, const Substitution& found) const {
    const std::vector<Term> others = open_unknowns(found, unknown.variable);
    for (const Equation& equation : equations_) {
      const Term source = substitute(equation.source, found);
      Term coefficient = nullptr, rest = nullptr;
      if (!affine_in(source, unknown.variable, coefficient, rest) || coefficient == integer(Integer(0))) {
        if (const Term joined = from_quotient(source, unknown, found); joined != nullptr) return joined;
        continue;
      }
      const Term difference = subtract(equation.target, rest);
      if (!mentions_any(rest, others)) {
        const Integer* c = as_integer(coefficient);
        if (c != nullptr && abs(*c) == 1) return scale(*c, difference);
        if (!mentions_any(coefficient, others)) return floor_div(difference, coefficient);
        continue;
      }
      // coefficient * unknown + (other, smaller than the coefficient) = target.
      if (const Term high = high_digit(coefficient, rest, equation.target, others); high != nullptr)
        return high;
      if (const Term low = low_digit(unknown, coefficient, rest, equation.target, others); low != nullptr)
        return low;
    }
    return nullptr;
  }

  // The unknown has coefficient B, the other unknown parts of the sum are a single variable of extent B with
  // coefficient 1.
  Term high_digit(Term coefficient, Term rest, Term target, const std::vector<Term>& others) const {
    Term known = rest, low = nullptr;
    for (const Binder& u : unknowns_) {
      if (std::find(others.begin(), others.end(), u.variable) == others.end()) continue;
      Term c = nullptr, r = nullptr;
      if (!affine_in(known, u.variable, c, r)) return nullptr;
      if (c == integer(Integer(0))) continue;
      if (low != nullptr || c != integer(Integer(1)) || u.extent != coefficient) return nullptr;
      low = u.variable;
      known = r;
    }
    return low != nullptr ? floor_div(subtract(target, known), coefficient) : nullptr;
  }

  // The unknown has coefficient 1 and extent B; what else is unknown has coefficients divisible by B.
  Term low_digit(const Binder& unknown, Term coefficient, Term rest, Term target,
                 const std::vector<Term>& others) const {
    if (coefficient != integer(Integer(1))) return nullptr;
    Term known = rest;
    for (Term other : others) {
      Term c = nullptr, r = nullptr;
      if (!affine_in(known, other, c, r)) return nullptr;
      if (c == integer(Integer(0))) continue;
      if (mod(c, unknown.extent) != integer(Integer(0)) && c != unknown.extent) {
        Term factor = nullptr, remainder = nullptr;
        if (unknown.extent->kind != Kind::symbol || !affine_in(c, unknown.extent, factor, remainder) ||
            remainder != integer(Integer(0)))
          return nullptr;
      }
      known = r;
    }
    return mod(subtract(target, known), unknown.extent);
  }

  // Equations  u / B = p  and  u % B = q  (that is u - B * (u / B) = q) join to  u = B * p + q.
  Term from_quotient(Term, const Binder& unknown, const Substitution& found) const {
    for (const Equation& a : equations_) {
      const Term source = substitute(a.source, found);
      if (source->kind != Kind::floor_div || source->children[0] != unknown.variable) continue;
      const Term base = source->children[1];
      const Term remainder = mod(unknown.variable, base);
      for (const Equation& b : equations_)
        if (substitute(b.source, found) == remainder) return add(multiply(base, a.target), b.target);
    }
    return nullptr;
  }

  const std::vector<Binder>& unknowns_;
  std::vector<Equation> equations_;
  std::vector<Term> bounds_;
};

std::vector<Term> variables_of(const IndexSet& set) {
  std::vector<Term> out;
  for (const Binder& b : set.binders) out.push_back(b.variable);
  return out;
}

// Index lists are compared one by one: stronger than congruence needs, and linear.
Term all_equal(const std::vector<Term>& a, const std::vector<Term>& b) {
  std::vector<Term> parts;
  for (std::size_t i = 0; i < a.size(); ++i) parts.push_back(equal(a[i], b[i]));
  return conjunction(parts);
}

Facts joined(const Facts& facts, const Facts& more) {
  Facts out = facts;
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

bool compares_elements(Term guard) {
  bool found = false;
  for_each_node(guard, [&](Term n) { found = found || n->kind == Kind::compare; });
  return found;
}

// `map` takes an element of `from` to one of `to`, and `back` undoes it.
bool maps_into(const IndexSet& from, const IndexSet& to, const Substitution& map, const Substitution& back,
               const Context& context) {
  std::vector<Term> goal;
  for (Term fact : membership(to)) goal.push_back(substitute(fact, map));
  for (const Binder& b : from.binders)
    goal.push_back(equal(substitute(back.at(b.variable), map), b.variable));
  const Facts known = joined(context.facts, membership(from));
  if (context.oracle.entails(known, conjunction(goal), "BIJ maps")) return true;
  if (!compares_elements(from.guard) || !compares_elements(to.guard) ||
      !context.oracle.entails_over_reals(known, conjunction(goal), "BIJ maps"))
    return false;
  context.laws.insert("SCALAR");
  return true;
}

// "k1 = j2, k2 = j1": the left sum's variables over the right one's, for a reader.
std::string map_text(const IndexSet& left, const IndexSet& right, const Substitution& psi) {
  calculus::text::Scope scope;
  Substitution names;
  for (std::size_t i = 0; i < right.binders.size(); ++i) {
    const std::string name = "j" + std::to_string(i + 1);
    names[right.binders[i].variable] = scope.names[name] = variable(name);
  }
  std::vector<std::string> axes;
  std::string out;
  for (std::size_t i = 0; i < left.binders.size(); ++i) {
    const auto image = psi.find(left.binders[i].variable);
    if (image == psi.end()) continue;
    const Term value = substitute(image->second, names);
    bool named = true;
    for_each_node(value, [&](Term n) {
      if (n->kind == Kind::symbol) scope.names[n->name] = n;
      if (n->kind == Kind::axis)
        while (axes.size() <= static_cast<std::size_t>(n->number))
          axes.push_back("i" + std::to_string(axes.size()));
      named = named && n->kind != Kind::load && n->kind != Kind::fold &&
              (n->kind != Kind::variable || scope.names.count(n->name) != 0);
    });
    out += (out.empty() ? "k" : ", k") + std::to_string(i + 1) + " = " +
           (named ? calculus::text::print_term(value, scope, axes) : "a term");
  }
  return out.empty() ? "single elements" : out;
}

// Maps guessed from the equations between the factors' indices: phi from left to right, psi back.
struct Maps {
  Substitution phi, psi;
};

std::optional<Maps> guess(const IndexSet& left, const IndexSet& right,
                          const std::vector<std::size_t>& pairing) {
  std::vector<Equation> forward, backward;
  for (std::size_t i = 0; i < left.factors.size(); ++i)
    for (std::size_t d = 0; d < left.factors[i].indices.size(); ++d) {
      const Term a = left.factors[i].indices[d], b = right.factors[pairing[i]].indices[d];
      backward.push_back({a, b});
      forward.push_back({b, a});
    }
  // phi: left -> right solves for the right binders in terms of the left ones; psi the other way.
  std::optional<Substitution> phi = Solver(right.binders, forward, right.guard).solve();
  std::optional<Substitution> psi = Solver(left.binders, backward, left.guard).solve();
  if ((!phi || !psi) && left.binders.size() == right.binders.size()) {
    // Fallback: binders in order, for sums whose factors do not fix them (a sum of a constant).
    phi.emplace();
    psi.emplace();
    for (std::size_t i = 0; i < left.binders.size(); ++i) {
      (*phi)[right.binders[i].variable] = left.binders[i].variable;
      (*psi)[left.binders[i].variable] = right.binders[i].variable;
    }
  }
  if (!phi) phi = Solver(right.binders, forward, right.guard).solve(true);
  if (!psi) psi = Solver(left.binders, backward, left.guard).solve(true);
  if (!phi || !psi) return std::nullopt;
  for (const auto& [variable, value] : *phi)
    if (mentions_any(value, variables_of(right))) return std::nullopt;
  for (const auto& [variable, value] : *psi)
    if (mentions_any(value, variables_of(left))) return std::nullopt;
  return Maps{std::move(*phi), std::move(*psi)};
}

// Factors at psi of an element of `right` are those of the element, for every element of `right`.
bool same_factors(const IndexSet& left, const IndexSet& right, const std::vector<std::size_t>& pairing,
                  const Substitution& psi, const Context& context) {
  std::vector<Term> body;
  for (std::size_t i = 0; i < left.factors.size(); ++i) {
    std::vector<Term> moved;
    for (Term index : left.factors[i].indices) moved.push_back(substitute(index, psi));
    body.push_back(all_equal(moved, right.factors[pairing[i]].indices));
  }
  return context.oracle.entails(joined(context.facts, membership(right)), conjunction(body),
                                "BIJ body: " + map_text(left, right, psi));
}

bool try_pairing(const IndexSet& left, const IndexSet& right, const std::vector<std::size_t>& pairing,
                 const Context& context) {
  const std::optional<Maps> maps = guess(left, right, pairing);
  return maps && maps_into(left, right, maps->phi, maps->psi, context) &&
         maps_into(right, left, maps->psi, maps->phi, context) &&
         same_factors(left, right, pairing, maps->psi, context);
}

// Calls `use` with each pairing of factors of one head until it returns true; at most 24 are tried.
bool any_pairing(const IndexSet& left, const IndexSet& right,
                 const std::function<bool(const std::vector<std::size_t>&)>& use) {
  if (left.factors.size() != right.factors.size()) return false;
  for (std::size_t i = 0; i < left.factors.size(); ++i)
    if (left.factors[i].head != right.factors[i].head ||
        left.factors[i].indices.size() != right.factors[i].indices.size())
      return false;
  std::vector<std::size_t> pairing(left.factors.size());
  std::iota(pairing.begin(), pairing.end(), 0);
  int tries = 0;
  do {
    bool same_heads = true;
    for (std::size_t i = 0; i < pairing.size(); ++i)
      same_heads = same_heads && left.factors[i].head == right.factors[pairing[i]].head;
    if (!same_heads) continue;
    if (use(pairing)) return true;
    if (++tries == 24) break;
  } while (pairing.size() <= 8 && std::next_permutation(pairing.begin(), pairing.end()));
  return false;
}

}  // namespace

Facts membership(const IndexSet& set) {
  Facts out;
  for (const Binder& b : set.binders) out.push_back(in_range(b.variable, b.extent));
  if (set.guard != truth(true)) out.push_back(set.guard);
  return out;
}

bool shown_empty(const IndexSet& set, const Facts& facts, Oracle& oracle) {
  // The membership stands in the goal: among the hypotheses it would make them contradictory, and a claim
  // under contradictory hypotheses proves nothing.
  return oracle.entails(facts, calculus::negation(calculus::conjunction(membership(set))), "EMPTY");
}

bool equal_by_bijection(const IndexSet& left, const IndexSet& right, const Context& context) {
  return any_pairing(left, right, [&](const std::vector<std::size_t>& pairing) {
    return context.oracle.attempt([&] { return try_pairing(left, right, pairing, context); });
  });
}

void guess_maps(const IndexSet& left, const IndexSet& right,
                const std::function<bool(const Substitution&, const Substitution&,
                                         const std::vector<std::size_t>&)>& use) {
  any_pairing(left, right, [&](const std::vector<std::size_t>& pairing) {
    const std::optional<Maps> maps = guess(left, right, pairing);
    return maps && use(maps->phi, maps->psi, pairing);
  });
}

std::optional<Term> guard_of_rest(const IndexSet& whole, const IndexSet& part, const Context& context) {
  std::optional<Term> out;
  any_pairing(whole, part, [&](const std::vector<std::size_t>& pairing) {
    return context.oracle.attempt([&] {
      const std::optional<Maps> maps = guess(whole, part, pairing);
      if (!maps || !maps_into(part, whole, maps->psi, maps->phi, context) ||
          !same_factors(whole, part, pairing, maps->psi, context))
        return false;
      // An element of `whole` is one of `part` when phi leads into `part` and psi back to it.
      std::vector<Term> image;
      for (Term fact : membership(part)) image.push_back(substitute(fact, maps->phi));
      for (const Binder& b : whole.binders)
        image.push_back(equal(substitute(maps->psi.at(b.variable), maps->phi), b.variable));
      out = both(whole.guard, negation(conjunction(image)));
      return true;
    });
  });
  return out;
}

}  // namespace hallmark::rules
