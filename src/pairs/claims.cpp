#include "pairs/claims.h"

#include <algorithm>
#include <cmath>

#include "pairs/extrema.h"

namespace hallmark::pairs {
namespace {

using namespace calculus;

constexpr std::size_t most_looked_at = 20000;
constexpr double most_monomials = 4096;

std::vector<Term> parts_of(Term a) {
  return a->kind == Kind::conjunction ? a->children : std::vector<Term>{a};
}

std::vector<Term> joined(std::vector<Term> a, const std::vector<Term>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Goals under common hypotheses.
std::vector<Claim> claims_under(const std::vector<Term>& hypotheses, const std::vector<Term>& goals) {
  std::vector<Term> known;
  for (Term h : hypotheses)
    for (Term part : parts_of(h)) known.push_back(part);
  const auto has = [](const std::vector<Term>& list, Term t) {
    return std::find(list.begin(), list.end(), t) != list.end();
  };
  std::vector<Term> open;
  for (Term goal : goals)
    for (Term part : parts_of(goal))
      if (part != truth(true) && !has(known, part) && !has(open, part)) open.push_back(part);
  std::vector<Claim> out;
  std::vector<Term> positive;
  std::vector<Term> mentioned;
  for (Term t : joined(known, open))
    if (about_indices(t)) mentioned.push_back(t);
  for (Term divisor : open_divisors(mentioned)) {
    out.push_back({hypotheses, positive, less(integer(0), divisor), {}, 0});
    positive.push_back(divisor);
  }
  for (Term part : open) {
    if (part->kind == Kind::is_zero) {
      const Term p = part->children[0];
      out.push_back({hypotheses, positive, at_most(p, integer(0)), {}, 0});
      out.push_back({hypotheses, positive, at_most(integer(0), p), {}, 0});
    } else if (part->kind == Kind::at_most_zero || part == truth(false)) {
      out.push_back({hypotheses, positive, part, {}, 0});
    } else if (about_indices(part)) {
      out.push_back({joined(hypotheses, {negation(part)}), positive, truth(false), {}, 0});
    } else {
      throw NotShown{"a condition on elements that is not a condition of both sums"};
    }
  }
  // Numbers that are what they should be, or are not.
  std::erase_if(out, [](const Claim& c) { return c.goal == truth(true); });
  return out;
}

bool is_fold(Term a) {
  return a->kind == Kind::fold;
}

struct Found {
  std::vector<Term> goals;                      // about indices
  std::vector<std::pair<Term, Term>> elements;  // to be looked at by themselves
};

// Equal where the equations between indices hold and the inner elements are equal, which are added to what is
// found.
void same_element(Term a, Term b, Found& found, std::size_t& looked_at) {
  if (a == b) return;
  if (++looked_at > most_looked_at) throw NotShown{"factors that are longer than is looked at"};
  if (a->sort == Sort::index() && b->sort == Sort::index()) {
    found.goals.push_back(equal(a, b));
    return;
  }
  const auto apart = [&] { found.elements.emplace_back(a, b); };
  if (is_fold(a) || is_fold(b)) return apart();
  const bool plain = a->kind == Kind::load || a->kind == Kind::operation || a->kind == Kind::select ||
                     a->kind == Kind::from_index || a->kind == Kind::cast || a->kind == Kind::compare;
  const bool alike = plain && a->kind == b->kind && a->op == b->op && a->rounding == b->rounding &&
                     a->flush_subnormals == b->flush_subnormals && a->sort == b->sort &&
                     a->format == b->format && a->number == b->number && a->which == b->which &&
                     a->size == b->size && a->name == b->name && a->value == b->value && a->bits == b->bits &&
                     a->order == b->order && a->children.size() == b->children.size();
  if (alike) {
    Found within;
    try {
      for (std::size_t i = 0; i < a->children.size(); ++i)
        same_element(a->children[i], b->children[i], within, looked_at);
      found.goals.insert(found.goals.end(), within.goals.begin(), within.goals.end());
      found.elements.insert(found.elements.end(), within.elements.begin(), within.elements.end());
      return;
    } catch (const NotShown&) {
      if (!extremum_of(a)) throw;
    }
  }
  if (extremum_of(a) || extremum_of(b)) return apart();
  throw NotShown{"factors that differ in more than their indices"};
}

Substitution map_of(const std::vector<Binder>& binders, const std::vector<Term>& images) {
  if (binders.size() != images.size()) throw NotShown{"a map without an image for each variable"};
  Substitution out;
  for (std::size_t i = 0; i < binders.size(); ++i) out[binders[i].variable] = images[i];
  return out;
}

// Only over the variables of the set and those around.
void check_free(Term a, const std::vector<Binder>& from, const std::vector<Term>& around) {
  for_each_node(a, [&](Term n) {
    if (n->kind == Kind::variable && std::find(around.begin(), around.end(), n) == around.end() &&
        std::none_of(from.begin(), from.end(), [&](const Binder& b) { return b.variable == n; }))
      throw NotShown{"a variable of another set"};
  });
}

void check_images(const std::vector<Term>& images, const std::vector<Binder>& from,
                  const std::vector<Term>& around) {
  for (Term image : images) {
    if (image->sort != Sort::index() || !about_indices(image))
      throw NotShown{"a map that is no term of indices"};
    check_free(image, from, around);
  }
}

// The greatest number of variables in one product.
std::size_t degree(const std::vector<Term>& terms) {
  std::size_t out = 1;
  for (Term t : terms)
    for_each_node(t, [&](Term n) {
      if (n->kind == Kind::product)
        out = std::max(
            out, static_cast<std::size_t>(std::count_if(n->children.begin(), n->children.end(),
                                                        [](Term c) { return c->kind == Kind::variable; })));
    });
  return out;
}

// What polynomials grow to when the images are put in the place of variables is bounded before it is done.
void check_size(const std::vector<Term>& images, const Summand& into, const std::vector<Term>& others) {
  std::vector<Term> terms = others;
  terms.push_back(into.guard);
  terms.insert(terms.end(), into.factors.begin(), into.factors.end());
  for (const Binder& b : into.binders) terms.push_back(b.extent);
  std::size_t width = 1;
  for (Term image : images)
    for_each_node(image, [&](Term n) {
      width = std::max(width, n->kind == Kind::polynomial ? n->children.size() : 1);
    });
  if (std::pow(static_cast<double>(width), static_cast<double>(degree(terms))) > most_monomials)
    throw NotShown{"a map that multiplies out to more than is looked at"};
}

std::vector<Claim> maps_into(const std::vector<Term>& facts, const Summand& from, const Summand& to,
                             const Substitution& map, const Substitution& back, std::vector<Term> more = {}) {
  std::vector<Term> goals;
  for (Term condition : membership(to)) goals.push_back(substitute(condition, map));
  for (const Binder& b : from.binders)
    goals.push_back(equal(substitute(back.at(b.variable), map), b.variable));
  return claims_under(joined(facts, membership(from)), joined(goals, more));
}

}  // namespace

std::vector<Term> membership(const Summand& s) {
  std::vector<Term> out;
  for (const Binder& b : s.binders) out.push_back(in_range(b.variable, b.extent));
  if (s.guard != truth(true)) out.push_back(s.guard);
  return out;
}

Summand renamed(const Summand& summand, const std::string& letter) {
  Summand out = summand;
  Substitution names;
  for (std::size_t i = 0; i < out.binders.size(); ++i)
    names[summand.binders[i].variable] = out.binders[i].variable = variable(letter + std::to_string(i + 1));
  for (Binder& b : out.binders) b.extent = substitute(b.extent, names);
  out.guard = substitute(out.guard, names);
  for (Term& f : out.factors) f = substitute(f, names);
  return out;
}

Claims claims_of(const std::vector<Term>& facts, const std::vector<Term>& around, const Summand& first,
                 const Summand& second, const Maps& maps) {
  check_images(maps.phi, first.binders, around);
  check_images(maps.psi, second.binders, around);
  check_size(maps.phi, second, maps.psi);
  check_size(maps.psi, first, maps.phi);
  const Substitution phi = map_of(second.binders, maps.phi), psi = map_of(first.binders, maps.psi);
  std::vector<std::size_t> partners = maps.factors;
  std::sort(partners.begin(), partners.end());
  for (std::size_t i = 0; i < partners.size(); ++i)
    if (partners[i] != i) throw NotShown{"factors that are not paired one to one"};
  if (partners.size() != first.factors.size() || partners.size() != second.factors.size())
    throw NotShown{"sums of another number of factors"};
  Found bodies;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < partners.size(); ++i)
    same_element(substitute(first.factors[i], psi), second.factors[maps.factors[i]], bodies, looked_at);
  Claims out{maps_into(facts, first, second, phi, psi), {}};
  for (Claim& claim : maps_into(facts, second, first, psi, phi, bodies.goals)) {
    claim.direction = 1;
    out.indices.push_back(std::move(claim));
  }
  for (const auto& [a, b] : bodies.elements)
    out.elements.push_back({joined(facts, membership(second)), a, b});
  return out;
}

Claims claims_within(const std::vector<Term>& facts, const std::vector<Term>& around, const Summand& first,
                     const Summand& second, const std::vector<Term>& phi) {
  check_images(phi, first.binders, around);
  check_size(phi, second, {});
  const Substitution map = map_of(second.binders, phi);
  Found bodies;
  std::size_t looked_at = 0;
  same_element(first.factors.at(0), substitute(second.factors.at(0), map), bodies, looked_at);
  std::vector<Term> goals;
  for (Term condition : membership(second)) goals.push_back(substitute(condition, map));
  const std::vector<Term> hypotheses = joined(facts, membership(first));
  Claims out{claims_under(hypotheses, joined(goals, bodies.goals)), {}};
  for (const auto& [a, b] : bodies.elements) out.elements.push_back({hypotheses, a, b});
  return out;
}

Summand part_of(const Summand& summand, const std::vector<Term>& around, Term condition, bool holds) {
  if (condition->sort != Sort::boolean() || !about_indices(condition))
    throw NotShown{"a part by what is no condition on indices"};
  check_free(condition, summand.binders, around);
  Summand out = summand;
  out.guard = both(out.guard, holds ? condition : negation(condition));
  return out;
}

std::vector<Claim> claims_of_emptiness(const std::vector<Term>& facts, const Summand& summand) {
  return claims_under(joined(facts, membership(summand)), {truth(false)});
}

}  // namespace hallmark::pairs
