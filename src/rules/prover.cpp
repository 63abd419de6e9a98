#include "rules/prover.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "rules/any_type.h"
#include "rules/ieee.h"
#include "rules/induction.h"
#include "rules/instances.h"
#include "rules/ranked.h"
#include "rules/reals.h"
#include "rules/settled_fold.h"

namespace hallmark::rules {

using namespace calculus;

Facts facts_of(const Claim& claim) {
  Facts out;
  for (const SymbolRange& range : claim.symbols) {
    out.push_back(at_most(integer(range.low), symbol(range.name)));
    if (range.high) out.push_back(at_most(symbol(range.name), integer(*range.high)));
  }
  out.insert(out.end(), claim.requirements.begin(), claim.requirements.end());
  for (Term extent : claim.existing)
    if (const Term fact = at_most(integer(Integer(0)), extent);
        fact != truth(true) && std::find(out.begin(), out.end(), fact) == out.end())
      out.push_back(fact);
  for (std::size_t d = 0; d < claim.extents.size(); ++d)
    out.push_back(in_range(axis(static_cast<int>(d)), claim.extents[d]));
  return out;
}

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> strengths{{
    {"any-type", "bit-exact, whatever the operations are"},
    {"ieee", "bit-exact in IEEE 754 arithmetic, not for other operations"},
    {"wrap-around integers", "exact for integers modulo 2^N"},
    {"ring", "exact for integers modulo 2^N and for reals, not for rounded numbers"},
    {"unbounded integers", "for integers of which no operation wraps"},
    {"reals", "for real numbers, not for rounded ones"},
}};

// The algebra that both sides are written in: then the laws that were used are laws of that algebra, since
// only its operations occur. Max and min with the start of an extremum are a commutative and idempotent
// monoid on all encodings; order on elements is not that of the reals where a NaN stands.
std::string strength_of(const Claim& claim, const LawLog& laws) {
  bool ring = true, lattice = true, integers = true, elements = false;
  for (Term side : {claim.left, claim.right})
    for_each_node(side, [&](Term n) {
      if (n->sort == Sort::index() || n->sort == Sort::boolean()) return;
      elements = true;
      integers = integers && n->sort.kind == Sort::Kind::integer;
      if (n->kind == Kind::constant && n->value.get_den() != 1) ring = false;
      // Conversions between integer formats are homomorphisms or opaque.
      const bool whole = n->kind == Kind::cast && n->sort.kind == Sort::Kind::integer &&
                         n->children[0]->sort.kind == Sort::Kind::integer;
      if (n->kind == Kind::extreme || (n->kind == Kind::cast && !whole)) ring = false;
      if (n->kind == Kind::cast) lattice = false;
      if (n->kind != Kind::operation) return;
      ring = ring && (n->op == Op::add || n->op == Op::sub || n->op == Op::mul || n->op == Op::neg ||
                      n->op == Op::fma);
      lattice = lattice && (n->op == Op::max || n->op == Op::min);
    });
  // Integer elements are of their format in everything that is shown of them.
  if (integers && elements) return "wrap-around integers";
  // Besides integers nothing was computed with.
  if (claim.left->sort == Sort::boolean() && laws == LawLog{"BITS"}) return "ieee";
  if (laws.count("SCALAR") != 0 || laws.count("POINTWISE") != 0) return "reals";
  if (lattice) return "ieee";
  return ring ? "ring" : "reals";
}

}  // namespace

std::string strength_text(const std::string& strength) {
  for (const auto& [name, text] : strengths)
    if (name == strength) return std::string(text);
  throw InternalError("a strength without a name: " + strength);
}

Equality prove_same_operations(const Claim& claim, Oracle& oracle) {
  Equality result;
  result.failure = "not the same operations";
  if (!same_operations(claim.left, claim.right, facts_of(claim), oracle)) return result;
  result.shown = true;
  result.strength = "any-type";
  result.laws = {"EXT"};
  return result;
}

namespace {

// The same choice between the same operations: by one condition, written in two ways. What is said of extrema
// and positions there is of a total order, in which a NaN has no place.
bool same_choice(Term a, Term b, const Context& context) {
  if (a->kind != Kind::select || b->kind != Kind::select) return false;
  for (std::size_t i : {1U, 2U})
    if (!same_operations(a->children[i], b->children[i], context.facts, context.oracle)) return false;
  LawLog laws;
  const Context inside{context.facts, context.oracle, laws};
  if (!equal_by_instances(a->children[0], b->children[0], inside, false) || laws.count("EXTREMUM") != 0 ||
      laws.count("ARG") != 0)
    return false;
  context.laws.insert(laws.begin(), laws.end());
  return true;
}

Equality prove_written(const Claim& claim, Oracle& oracle);

}  // namespace

namespace {

Equality prove_settled(const Claim& claim, Oracle& oracle);

// The index of an axis of one element is 0.
Claim without_single_axes(const Claim& claim) {
  Substitution known;
  for (std::size_t d = 0; d < claim.extents.size(); ++d)
    if (const Integer* n = as_integer(claim.extents[d]); n != nullptr && *n == 1)
      known[axis(static_cast<int>(d))] = integer(Integer(0));
  Claim out = claim;
  if (known.empty()) return out;
  out.left = substitute(claim.left, known);
  out.right = substitute(claim.right, known);
  return out;
}

// Law RANK, and what is left of the claim. An order has no place for a NaN: this is of reals.
bool prove_ranked(const Claim& claim, Oracle& oracle, Equality& result) {
  Claim other = without_single_axes(claim);
  const Facts facts = facts_of(claim);
  const Term left = ranked(other.left, facts, oracle), right = ranked(other.right, facts, oracle);
  if (left == other.left && right == other.right) return false;
  other.left = left;
  other.right = right;
  const Equality rest = prove_settled(other, oracle);
  if (!rest.shown) return false;
  result = rest;
  result.strength = "reals";
  result.laws.push_back("RANK");
  return true;
}

bool mentions_operation(const Claim& claim, Op op) {
  bool found = false;
  for (Term side : {claim.left, claim.right})
    for_each_node(side, [&](Term n) { found = found || (n->kind == Kind::operation && n->op == op); });
  return found;
}

bool is_operation(Term t, Op op) {
  return t->kind == Kind::operation && t->op == op && t->sort == Sort::real();
}

// Law TANH: tanh(x) = 1 - 2 / (1 + exp(2 x)), where exponentials stand beside it. Law SOFTPLUS: log(1 +
// exp(x)) = max(x, 0) + log(1 + exp(-|x|)), where magnitudes stand beside it.
Term by_exponentials(Term t, bool magnitudes, LawLog& laws) {
  const auto number = [](long n) { return real_constant(n); };
  const auto apply = [](Op op, const std::vector<Term>& of) { return operation(op, of, Sort::real()); };
  return rewrite(t, [&](Term n) {
    if (is_operation(n, Op::tanh)) {
      laws.insert("TANH");
      const Term power = apply(Op::exp, {apply(Op::mul, {number(2), n->children[0]})});
      return apply(Op::sub, {number(1), apply(Op::div, {number(2), apply(Op::add, {number(1), power})})});
    }
    if (!magnitudes || !is_operation(n, Op::log) || !is_operation(n->children[0], Op::add)) return n;
    const std::vector<Term>& terms = n->children[0]->children;
    for (std::size_t i = 0; i < 2; ++i) {
      if (terms[i] != number(1) || !is_operation(terms[1 - i], Op::exp)) continue;
      const Term x = terms[1 - i]->children[0];
      if (is_operation(x, Op::neg) && is_operation(x->children[0], Op::abs)) continue;
      laws.insert("SOFTPLUS");
      const Term power = apply(Op::exp, {apply(Op::neg, {apply(Op::abs, {x})})});
      return apply(Op::add,
                   {apply(Op::max, {x, number(0)}), apply(Op::log, {apply(Op::add, {number(1), power})})});
    }
    return n;
  });
}

bool prove_by_exponentials(const Claim& claim, Oracle& oracle, Equality& result) {
  if (!mentions_operation(claim, Op::exp)) return false;
  LawLog laws;
  Claim other = claim;
  const bool magnitudes = mentions_operation(claim, Op::abs);
  other.left = by_exponentials(claim.left, magnitudes, laws);
  other.right = by_exponentials(claim.right, magnitudes, laws);
  if (laws.empty()) return false;
  const Equality rest = prove_settled(other, oracle);
  if (!rest.shown) return false;
  result = rest;
  result.strength = "reals";
  result.laws.insert(result.laws.end(), laws.begin(), laws.end());
  return true;
}

// Law INDUCT (rules/induction.h).
bool prove_by_induction(const Claim& claim, Oracle& oracle, Equality& result) {
  for (const Induction& induction : inductions(claim)) {
    std::vector<std::string> laws{"INDUCT"};
    const auto shown = [&](const Claim& part) {
      const Equality one = prove_settled(part, oracle);
      laws.insert(laws.end(), one.laws.begin(), one.laws.end());
      return one.shown;
    };
    if (!oracle.attempt([&] {
          return shown(induction.base) && (!induction.has_first || shown(induction.first)) &&
                 shown(induction.step);
        }))
      continue;
    std::sort(laws.begin(), laws.end());
    laws.erase(std::unique(laws.begin(), laws.end()), laws.end());
    result.shown = true;
    result.strength = claim.left->sort.kind == Sort::Kind::integer ? strength_of(claim, {}) : "reals";
    if (result.strength != "wrap-around integers") result.strength = "reals";
    result.laws = std::move(laws);
    result.failure.clear();
    return true;
  }
  return false;
}

}  // namespace

Equality prove_equal(const Claim& claim, Oracle& oracle) {
  Equality result = prove_settled(claim, oracle);
  if (result.shown) return result;
  if (!oracle.attempt([&] { return prove_ranked(claim, oracle, result); }) &&
      !oracle.attempt([&] { return prove_by_exponentials(claim, oracle, result); }))
    oracle.attempt([&] { return prove_by_induction(claim, oracle, result); });
  return result;
}

namespace {

Equality prove_settled(const Claim& claim, Oracle& oracle) {
  Equality result = prove_same_operations(claim, oracle);
  if (result.shown) return result;
  Claim plain = claim;
  plain.left = settled(claim.left);
  plain.right = settled(claim.right);
  if (plain.left == claim.left && plain.right == claim.right) return prove_written(claim, oracle);
  result = prove_same_operations(plain, oracle);
  LawLog laws{"EXT"};
  if (!result.shown && oracle.attempt([&] {
        const Facts facts = facts_of(plain);
        return same_choice(plain.left, plain.right, {facts, oracle, laws});
      })) {
    result = {true, "any-type", {laws.begin(), laws.end()}, {}};
  }
  if (!result.shown) result = prove_written(plain, oracle);
  if (result.shown) result.laws.push_back("SETTLE");
  return result;
}

Equality prove_written(const Claim& claim, Oracle& oracle) {
  Equality result;
  Claim written = claim;
  written.left = ieee_normal(claim.left, claim.powers);
  written.right = ieee_normal(claim.right, claim.powers);
  if (written.left != claim.left || written.right != claim.right) {
    result = prove_same_operations(written, oracle);
    if (result.shown) {
      result.strength = "ieee";
      result.laws.push_back("IEEE");
      return result;
    }
  }
  const Facts facts = facts_of(claim);
  LawLog laws;
  const Context context{facts, oracle, laws};
  try {
    if (claim.left->sort == Sort::boolean()) {
      const Term l = claim.left, r = claim.right;
      if (equal_by_instances(l, r, context, false)) {
        result.shown = true;
        // What is said of extrema and positions is of a total order, and a NaN has no place in one.
        const bool ordered = laws.count("EXTREMUM") != 0 || laws.count("ARG") != 0;
        result.strength = ordered ? "reals" : "any-type";
        result.laws.assign(laws.begin(), laws.end());
        return result;
      }
      const Term alike = both(either(negation(l), r), either(l, negation(r)));
      result.failure = "the conditions are not shown to be equivalent";
      if (oracle.attempt([&] { return oracle.entails_in_bits(facts, alike, "BITS"); })) {
        result.shown = true;
        laws = {"BITS"};
      } else {
        laws = {};
        result.shown =
            equal_by_instances(l, r, context, true) || oracle.entails_over_reals(facts, alike, "SCALAR");
        if (result.shown) laws.insert("SCALAR");
      }
    } else {
      result.shown = equal_over_reals(claim.left, claim.right, context, result.failure);
    }
  } catch (const Refusal& refusal) {
    // Not shown: the normal form does not cover this term.
    result.failure = refusal.message();
  }
  if (!result.shown) return result;
  result.strength = strength_of(claim, laws);
  result.laws.assign(laws.begin(), laws.end());
  return result;
}

}  // namespace

}  // namespace hallmark::rules
