#include "rules/reals.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "base/error.h"
#include "rules/abstraction.h"
#include "rules/any_type.h"
#include "rules/bijection.h"
#include "rules/instances.h"
#include "rules/signs.h"
#include "rules/unroll.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

constexpr int maximum_depth = 12;  // of terms inside opaque factors
// Of factors that are compared for being equal though they are written differently; deeper ones have to be
// the same. Without it two factors could be compared by comparing each other's parts for ever.
constexpr int maximum_comparisons = 5;

struct Entry {
  Term skeleton;
  std::vector<Term> arguments;  // of the factor that was named first
  Term factor;                  // that factor, when no variable of a summand is free in it
  std::string name;
};

// Products and quotients of two wide bit vectors are beyond the solvers where there are several.
bool few_wide_products(Term a) {
  int products = 0;
  for_each_node(a, [&](Term n) {
    if (n->kind != Kind::operation || n->sort.kind != Sort::Kind::integer ||
        storage_bits(n->sort.format) <= 16)
      return;
    const bool hard =
        n->op == Op::mul || n->op == Op::fma || n->op == Op::div || n->op == Op::rem || n->op == Op::mod;
    if (hard && n->children[0]->kind != Kind::constant && n->children[1]->kind != Kind::constant) ++products;
  });
  return products <= 1;
}

using Operands = std::set<std::vector<Term>>;

// Of all operations `op` on integers in the term.
Operands operands_of(Term a, Op op) {
  Operands out;
  for_each_node(a, [&](Term n) {
    if (n->kind == Kind::operation && n->op == op && n->sort.kind == Sort::Kind::integer)
      out.insert(n->children);
  });
  return out;
}

// Law REMAINDER: rem(x, y) = (0 where y = 0, x elsewhere) - (x / y) * y, of integers modulo 2^w.
Term by_quotients(Term a, const Operands& divided) {
  return rewrite(a, [&](Term n) {
    if (n->kind != Kind::operation || n->op != Op::rem || divided.count(n->children) == 0) return n;
    const Term x = n->children[0], y = n->children[1], zero = int_constant(n->sort.format, Integer(0));
    const Term whole = operation(Op::mul, {operation(Op::div, {x, y}, n->sort), y}, n->sort);
    return operation(Op::sub, {select(compare(Op::eq, y, zero), zero, x), whole}, n->sort);
  });
}

class Prover {
 public:
  Prover(std::string& failure) : failure_(failure) {}

  bool equal_terms(Term left, Term right, const Context& context, int depth) {
    if (left == right) return true;
    if (left->sort != right->sort) return false;
    if (left->sort != Sort::real() && left->sort.kind != Sort::Kind::integer)
      return same_operations(left, right, context.facts, context.oracle);
    if (depth > maximum_depth) return false;
    if (context.oracle.attempt([&] { return equal_as_sums(left, right, context, depth); })) return true;
    if (context.oracle.attempt([&] { return equal_by_quotients(left, right, context, depth); })) return true;
    if (context.oracle.attempt([&] { return equal_in_bits(left, right, context, depth); })) return true;
    return context.oracle.attempt([&] { return equal_as_scalars(left, right, context, depth); });
  }

 private:
  // Where quotients of the same operands stand beside remainders.
  bool equal_by_quotients(Term left, Term right, const Context& context, int depth) {
    if (left->sort.kind != Sort::Kind::integer || depth > 0) return false;
    Operands divided = operands_of(left, Op::div);
    divided.merge(operands_of(right, Op::div));
    const Term l = by_quotients(left, divided), r = by_quotients(right, divided);
    if ((l == left && r == right) || !equal_as_sums(l, r, context, depth)) return false;
    context.laws.insert("REMAINDER");
    return true;
  }

  // Pointwise, by the solvers' arithmetic: for choices, max, comparisons and roots, where sums are opaque.
  bool equal_as_scalars(Term left, Term right, const Context& context, int depth) {
    if (depth > 1 || (depth > 0 && (!is_scalar(left) || !is_scalar(right)))) return false;
    const auto ask = [&](Term l, Term r) {
      return context.oracle.entails_over_reals(
          context.facts, compare(Op::eq, unroll_small_folds(l), unroll_small_folds(r)), "SCALAR");
    };
    if (!ask(left, right)) {
      const Term l = to_term(normalise(left, context), left->sort),
                 r = to_term(normalise(right, context), left->sort);
      if (((l == left && r == right) || !ask(l, r)) && !equal_by_instances(left, right, context, true))
        return false;
    }
    context.laws.insert("SCALAR");
    return true;
  }

  // Pointwise, elements of integer formats as bit vectors: for conversions, shifts, quotients and orders.
  static bool equal_in_bits(Term left, Term right, const Context& context, int depth) {
    if (left->sort.kind != Sort::Kind::integer || depth > 2) return false;
    const Term l = unroll_small_folds(left), r = unroll_small_folds(right);
    if (!few_wide_products(l) || !few_wide_products(r) ||
        !context.oracle.entails_in_bits(context.facts, compare(Op::eq, l, r), "BITS"))
      return false;
    context.laws.insert("BITS");
    return true;
  }

  static bool is_scalar(Term a) {
    bool scalar = false, folds = false;
    for_each_node(a, [&](Term n) {
      folds = folds || n->kind == Kind::fold;
      scalar = scalar || n->kind == Kind::compare ||
               (n->kind == Kind::operation && (n->op == Op::max || n->op == Op::min || n->op == Op::abs ||
                                               n->op == Op::sqrt || n->op == Op::rsqrt));
    });
    return scalar && !folds;
  }

  bool equal_as_sums(Term left, Term right, const Context& context, int depth) {
    if (context.oracle.attempt([&] { return equal_forms(left, right, context, depth, false); })) return true;
    return has_short_fold(left, right) && equal_forms(left, right, context, depth, true);
  }

  // A sum over a literal few on one side that the other side may have written out.
  static bool has_short_fold(Term left, Term right) {
    bool found = false;
    for (Term side : {left, right})
      for_each_node(side, [&](Term n) {
        if (n->kind != Kind::fold || n->size != 1) return;
        const Integer* extent = as_integer(calculus::open(n).extent);
        found = found || (extent != nullptr && *extent >= 2 && *extent <= 4);
      });
    return found;
  }

  bool equal_forms(Term left, Term right, const Context& context, int depth, bool unroll_all) {
    const NormalForm l = normalise(left, context, 4096, unroll_all),
                     r = normalise(right, context, 4096, unroll_all);
    if (!l.empty() && !r.empty() && to_term(l, left->sort) == to_term(r, left->sort)) return true;
    // left - right = 0: summands cancel in pairs or have empty index sets.
    NormalForm all = l;
    for (Summand s : r) {
      s.coefficient = -s.coefficient;
      all.push_back(std::move(s));
    }
    if (context.oracle.attempt([&] { return cancels(all, left->sort, context, depth); })) return true;
    const std::optional<NormalForm> whole = without_denominators(all, context);
    if (whole && context.oracle.attempt([&] { return cancels(*whole, left->sort, context, depth); }))
      return true;
    if (unroll_all) return cancels_by_cases(all, left->sort, context, depth, 2);
    return depth == 0 && context.oracle.attempt(
                             [&] { return cancels(whole ? *whole : all, left->sort, context, depth, true); });
  }

  // Law CASE: a guard that no binder touches holds or does not; the summands cancel in both cases.
  bool cancels_by_cases(const NormalForm& all, Sort sort, const Context& context, int depth, int splits) {
    Term condition = nullptr;
    for (const Summand& s : all) {
      const std::vector<Term> parts =
          s.guard->kind == Kind::conjunction ? s.guard->children : std::vector<Term>{s.guard};
      for (Term part : parts) {
        bool usable = part != truth(true) && condition == nullptr &&
                      !context.oracle.entails(context.facts, part, "CASE") &&
                      !context.oracle.entails(context.facts, negation(part), "CASE");
        for (const Binder& b : s.binders)
          for_each_node(part, [&](Term n) { usable = usable && n != b.variable; });
        if (usable) condition = part;
      }
    }
    if (condition == nullptr || splits == 0) return false;
    for (Term fact : {condition, negation(condition)}) {
      const Context inside = context.with({fact});
      if (!context.oracle.attempt([&] { return cancels(all, sort, inside, depth); }) &&
          !cancels_by_cases(all, sort, inside, depth, splits - 1))
        return false;
    }
    context.laws.insert("CASE");
    return true;
  }

  static bool is_sum(Term t) {
    return t->kind == Kind::fold || (t->kind == Kind::operation && t->op == Op::add);
  }

  // Law FRACTION: d * x = 0 gives x = 0 where d is shown not to be 0. Multiplies by the sums that the form
  // divides by, until it divides by none; empty when there are none, or one that may be 0 or mentions a
  // binder.
  static std::optional<NormalForm> without_denominators(NormalForm form, const Context& context) {
    const auto denominator = [&]() -> Term {
      for (const Summand& s : form)
        for (Term f : s.factors)
          if (f->kind == Kind::operation && f->op == Op::reciprocal && is_sum(f->children[0])) return f;
      return nullptr;
    };
    Term inverse = denominator();
    if (inverse == nullptr) return std::nullopt;
    for (int rounds = 0; inverse != nullptr && rounds < 6; ++rounds, inverse = denominator()) {
      const Term divisor = inverse->children[0];
      for (const Summand& s : form)
        for (const Binder& b : s.binders) {
          bool touched = false;
          for_each_node(divisor, [&](Term n) { touched = touched || n == b.variable; });
          if (touched) return std::nullopt;
        }
      if (!shown_nonzero(divisor, context)) return std::nullopt;
      std::vector<Term> parts;
      for (Summand s : form) {
        const auto at = std::find(s.factors.begin(), s.factors.end(), inverse);
        const bool divided = at != s.factors.end();
        if (divided) s.factors.erase(at);
        const Term whole = to_term({s});
        parts.push_back(divided ? whole : operation(Op::mul, {whole, divisor}, Sort::real()));
      }
      Term sum = real_constant(0);
      for (Term p : parts) sum = operation(Op::add, {sum, p}, Sort::real());
      form = normalise(sum, context);
    }
    if (inverse != nullptr) return std::nullopt;
    context.laws.insert("FRACTION");
    return form;
  }

  // `pointwise`: what finds no partner may vanish element by element (a question of arithmetic).
  bool cancels(const NormalForm& all, Sort sort, const Context& context, int depth, bool pointwise = false) {
    std::vector<IndexSet> sets;
    std::vector<Rational> rest;
    std::vector<Summand> summands;  // beside their sets
    for (const Summand& s : all) {
      // A guard that never holds leaves nothing to sum, and no argument may rest on its membership.
      IndexSet bare;
      bare.binders = s.binders;
      bare.guard = s.guard;
      if (s.guard != truth(true) && shown_empty(bare, context.facts, context.oracle)) {
        context.laws.insert("EMPTY");
        continue;
      }
      sets.push_back(index_set(s, context, depth));
      rest.push_back(s.coefficient);
      summands.push_back(s);
    }
    for (std::size_t i = 0; i < sets.size(); ++i)
      for (std::size_t j = i + 1; j < sets.size() && rest[i] != 0; ++j) {
        if (rest[j] == 0 || sgn(rest[i]) == sgn(rest[j])) continue;
        if (!equal_by_bijection(sets[i], sets[j], context)) continue;
        context.laws.insert("BIJ");
        const Rational moved = abs(rest[i]) < abs(rest[j]) ? rest[i] : Rational(-rest[j]);
        rest[i] -= moved;
        rest[j] += moved;
      }
    subtract_parts(sets, rest, context);
    std::vector<Summand> left;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (rest[i] == 0) continue;
      if (shown_empty(sets[i], context.facts, context.oracle)) {
        context.laws.insert("EMPTY");
        continue;
      }
      if (left.empty()) {
        failure_ = "no partner for the summand with factors";
        for (const IndexedFactor& f : sets[i].factors) failure_ += " " + f.head;
      }
      summands[i].coefficient = rest[i];
      summands[i].guard = sets[i].guard;
      left.push_back(summands[i]);
    }
    return left.empty() || (pointwise && vanish_together(std::move(left), sort, context));
  }

  // Law POINTWISE: sums over one range are 0 together where their elements are, index by index, each being 0
  // where its guard does not hold.
  static bool vanish_together(std::vector<Summand> left, Sort sort, const Context& context) {
    constexpr std::size_t most = 6;
    if (left.size() > most) return false;
    while (!left.empty()) {
      const Summand first = left.front();
      if (first.binders.empty()) return false;
      Facts inside = context.facts;
      for (const Binder& b : first.binders) inside.push_back(in_range(b.variable, b.extent));
      Term sum = nullptr;
      std::vector<Summand> others;
      for (Summand& s : left) {
        if (!over_the_range_of(first, s, context)) {
          others.push_back(std::move(s));
          continue;
        }
        s.binders.clear();
        const Term element = to_term({s}, sort);
        sum = sum == nullptr ? element : operation(Op::add, {sum, element}, sort);
      }
      const Term zero = sort == Sort::real() ? real_constant(0) : int_constant(sort.format, Integer(0));
      const Term goal = compare(Op::eq, sum, zero);
      if (sort == Sort::real()
              ? !context.oracle.entails_over_reals(inside, goal, "POINTWISE")
              : !few_wide_products(sum) || !context.oracle.entails_in_bits(inside, goal, "POINTWISE"))
        return false;
      context.laws.insert("POINTWISE");
      left = std::move(others);
    }
    return true;
  }

  // Writes `s` over the variables of `first`, where its range is that of `first` in the same order.
  static bool over_the_range_of(const Summand& first, Summand& s, const Context& context) {
    if (s.binders.size() != first.binders.size()) return false;
    Substitution map;
    Facts known = context.facts;
    for (std::size_t i = 0; i < s.binders.size(); ++i) {
      const Term extent = substitute(s.binders[i].extent, map);
      if (extent != first.binders[i].extent &&
          !context.oracle.entails(known, equal(extent, first.binders[i].extent), "POINTWISE range"))
        return false;
      map[s.binders[i].variable] = first.binders[i].variable;
      known.push_back(in_range(first.binders[i].variable, first.binders[i].extent));
    }
    s.guard = substitute(s.guard, map);
    for (Term& f : s.factors) f = substitute(f, map);
    return true;
  }

  // Law SPLIT: where one of two summands is a part of the other, they leave the rest of the other; a rest may
  // be what a third one is.
  static void subtract_parts(std::vector<IndexSet>& sets, std::vector<Rational>& rest,
                             const Context& context) {
    constexpr int most = 4;
    for (int round = 0; round < most; ++round) {
      bool changed = false;
      for (std::size_t i = 0; i < sets.size() && !changed; ++i)
        for (std::size_t j = 0; j < sets.size() && !changed; ++j) {
          if (i == j || rest[i] == 0 || rest[j] != -rest[i]) continue;
          const bool same =
              context.oracle.attempt([&] { return equal_by_bijection(sets[i], sets[j], context); });
          const std::optional<Term> guard = same ? std::nullopt : guard_of_rest(sets[i], sets[j], context);
          if (!same && !guard) continue;
          context.laws.insert(same ? "BIJ" : "SPLIT");
          if (same)
            rest[i] = 0;
          else
            sets[i].guard = *guard;
          rest[j] = 0;
          changed = true;
        }
      if (!changed) return;
    }
  }

  IndexSet index_set(const Summand& s, const Context& context, int depth) {
    IndexSet out;
    out.binders = s.binders;
    out.guard = s.guard;
    const Context inside = context.with(membership(out));
    for (Term f : s.factors) out.factors.push_back(named(f, inside, depth));
    std::stable_sort(out.factors.begin(), out.factors.end(),
                     [](const IndexedFactor& a, const IndexedFactor& b) { return a.head < b.head; });
    return out;
  }

  IndexedFactor named(Term f, const Context& context, int depth) {
    if (f->kind == Kind::load) return {f->name, f->children};
    if (f->kind == Kind::from_index) return {"from_index'", f->children};
    const Abstraction abstract(f);
    for (const Entry& entry : entries_)
      if (entry.skeleton == abstract.skeleton()) return {entry.name, abstract.arguments()};
    // Comparing may name further factors: no reference into the list is kept, and later entries are not
    // looked at.
    const std::size_t known = entries_.size();
    for (std::size_t at = 0; at < known; ++at) {
      const Entry entry = entries_[at];
      if (depth > maximum_comparisons || !alike(entry.skeleton, f)) continue;
      if (entry.arguments.size() != abstract.arguments().size()) {
        // Skeletons cut differently: the two factors as they are.
        if (entry.factor == nullptr || f->has_variables ||
            !context.oracle.attempt([&] { return equal_factors(entry.factor, f, context, depth + 1); }))
          continue;
        context.laws.insert("EXT");
        return {entry.name, entry.arguments};
      }
      std::vector<std::size_t> order(entry.arguments.size());
      std::iota(order.begin(), order.end(), 0);
      int tries = 0;
      do {
        Substitution map;
        std::vector<Term> arguments;
        for (std::size_t i = 0; i < order.size(); ++i) {
          map[Abstraction::hole(i)] = abstract.arguments()[order[i]];
          arguments.push_back(abstract.arguments()[order[i]]);
        }
        if (context.oracle.attempt(
                [&] { return equal_factors(substitute(entry.skeleton, map), f, context, depth + 1); })) {
          context.laws.insert("EXT");
          return {entry.name, arguments};
        }
      } while (++tries < 6 && std::next_permutation(order.begin(), order.end()));
    }
    entries_.push_back({abstract.skeleton(), abstract.arguments(), f->has_variables ? nullptr : f,
                        "f" + std::to_string(entries_.size()) + "'"});
    return {entries_.back().name, abstract.arguments()};
  }

  static bool alike(Term a, Term b) {
    // A maximum is one whether it is written as a fold or as an operation.
    const std::optional<Op> op = monoid_of(a);
    if (op && op == monoid_of(b) && *op != Op::mul) return true;
    return a->kind == b->kind && a->op == b->op && a->name == b->name &&
           a->children.size() == b->children.size();
  }

  // The same opaque operation on operands that are equal over the reals.
  bool equal_factors(Term a, Term b, const Context& context, int depth) {
    if (a == b) return true;
    if (a->sort != b->sort || !alike(a, b)) return false;
    if (a->kind == Kind::operation || b->kind == Kind::operation) {
      if (const std::optional<Op> op = monoid_of(a); op && op != Op::mul)
        return context.oracle.attempt([&] { return equal_extrema(a, b, context, depth); }) ||
               context.oracle.attempt([&] { return equal_as_scalars(a, b, context, depth); });
      for (std::size_t i = 0; i < a->children.size(); ++i)
        if (!equal_terms(a->children[i], b->children[i], context, depth)) return false;
      return true;
    }
    if (a->kind == Kind::fold && context.oracle.attempt([&] { return equal_extrema(a, b, context, depth); }))
      return true;
    return same_operations(a, b, context.facts, context.oracle);
  }

  // max and min are commutative monoids on non-empty ranges: both sides are taken apart into pieces (binders,
  // guard, element) and the pieces paired by bijection. Every extent of a piece must be shown positive, so
  // that no empty maximum is taken apart.
  struct Piece {
    std::vector<Binder> binders;
    Term guard;
    Term element;
  };

  // A fold of a commutative monoid: step = operation(state, body) with a body that does not mention the
  // state.
  static bool is_monoid_fold(Term a, Op op, Term& body, FoldParts& parts) {
    if (a->kind != Kind::fold || a->size != 1 || a->order != any_order()) return false;
    parts = calculus::open(a);
    const Term step = parts.step[0], state = parts.states[0];
    if (step->kind != Kind::operation || step->op != op) return false;
    if (step->children[0] == state)
      body = step->children[1];
    else if (step->children[1] == state)
      body = step->children[0];
    else
      return false;
    bool mentions = false;
    for_each_node(body, [&](Term n) { mentions = mentions || n == state; });
    for_each_node(parts.guard, [&](Term n) { mentions = mentions || n == state; });
    return !mentions;
  }

  // A product over nothing is 1 and leaves no piece.
  static bool is_neutral(Term a, Op op) {
    return op == Op::mul && a->kind == Kind::constant && a->sort.kind != Sort::Kind::floating &&
           a->value == 1;
  }

  bool pieces_of(Term a, Op op, const Context& context, std::vector<Binder> binders, Term guard,
                 std::vector<Piece>& out) {
    if (a->kind == Kind::operation && a->op == op)
      return pieces_of(a->children[0], op, context, binders, guard, out) &&
             pieces_of(a->children[1], op, context, binders, guard, out);
    Term body = nullptr;
    FoldParts parts;
    if (is_monoid_fold(a, op, body, parts)) {
      const bool from_nothing = parts.init[0]->kind == Kind::extreme;
      if (!from_nothing && !is_neutral(parts.init[0], op) &&
          !pieces_of(parts.init[0], op, context, binders, guard, out))
        return false;
      // Only a fold with a start value may be empty.
      if (from_nothing && !shown_nonempty(parts, context)) return false;
      binders.push_back({parts.variable, parts.extent});
      return pieces_of(body, op, context.with({in_range(parts.variable, parts.extent), parts.guard}), binders,
                       both(guard, parts.guard), out);
    }
    // The index set is the disjoint union of those of the two arms; one of them may be empty.
    if (a->kind == Kind::select)
      return pieces_of(a->children[1], op, context.with({a->children[0]}), binders,
                       both(guard, a->children[0]), out) &&
             pieces_of(a->children[2], op, context.with({negation(a->children[0])}), binders,
                       both(guard, negation(a->children[0])), out);
    out.push_back({std::move(binders), guard, a});
    return true;
  }

  static std::optional<Op> monoid_of(Term a) {
    const Term node = a->kind == Kind::fold && a->size == 1 ? a->children.back() : a;
    if (node->kind != Kind::operation) return std::nullopt;
    if (node->op == Op::max || node->op == Op::min) return node->op;
    if (a->kind == Kind::fold && node->op == Op::mul) return node->op;
    return std::nullopt;
  }

  bool equal_extrema(Term a, Term b, const Context& context, int depth) {
    const std::optional<Op> op = monoid_of(a), other = monoid_of(b);
    if (!op && !other) return false;
    if (op && other && *op != *other) return false;
    const Op joined = op ? *op : *other;
    // Two folds over one range each, possibly empty: equal index sets up to a bijection.
    if (context.oracle.attempt([&] { return equal_single(a, b, joined, context, depth); })) return true;
    std::vector<Piece> left, right;
    if (!pieces_of(a, joined, context, {}, truth(true), left) ||
        !pieces_of(b, joined, context, {}, truth(true), right))
      return false;
    std::vector<bool> used(right.size(), false);
    const auto empty = [&](const Piece& p) {
      IndexSet set;
      set.binders = p.binders;
      set.guard = p.guard;
      return shown_empty(set, context.facts, context.oracle);
    };
    for (const Piece& piece : left) {
      bool found = false;
      for (std::size_t j = 0; j < right.size() && !found; ++j) {
        if (used[j] || !context.oracle.attempt([&] { return equal_pieces(piece, right[j], context, depth); }))
          continue;
        used[j] = found = true;
      }
      if (!found && !empty(piece)) return false;
    }
    for (std::size_t j = 0; j < right.size(); ++j)
      if (!used[j] && !empty(right[j])) return false;
    context.laws.insert(joined == Op::mul ? "MONOID" : "MAX-SPLIT");
    return true;
  }

  bool equal_single(Term a, Term b, Op op, const Context& context, int depth) {
    Term x = nullptr, y = nullptr;
    FoldParts p, q;
    if (!is_monoid_fold(a, op, x, p) || !is_monoid_fold(b, op, y, q)) return false;
    if (p.init[0] != q.init[0]) return false;
    if (!equal_pieces({{{p.variable, p.extent}}, p.guard, x}, {{{q.variable, q.extent}}, q.guard, y}, context,
                      depth))
      return false;
    context.laws.insert("MONOID");
    return true;
  }

  bool equal_pieces(const Piece& a, const Piece& b, const Context& context, int depth) {
    // Single elements under conditions of their own: equal as sums, too.
    if (a.binders.empty() && b.binders.empty() && depth < maximum_comparisons) {
      const bool alike_guards =
          a.guard == b.guard ||
          context.oracle.entails(context.facts,
                                 both(either(negation(a.guard), b.guard), either(a.guard, negation(b.guard))),
                                 "EXT guard");
      if (alike_guards && context.oracle.attempt([&] {
            return equal_terms(a.element, b.element, context.with({a.guard}), depth + 1);
          }))
        return true;
    }
    const auto as_set = [&](const Piece& p) {
      IndexSet set;
      set.binders = p.binders;
      set.guard = p.guard;
      set.factors = {named(p.element, context.with(membership(set)), depth + 1)};
      return set;
    };
    return equal_by_bijection(as_set(a), as_set(b), context);
  }

  std::string& failure_;
  std::vector<Entry> entries_;
};

}  // namespace

bool equal_over_reals(Term left, Term right, const Context& context, std::string& failure) {
  return Prover(failure).equal_terms(left, right, context, 0);
}

}  // namespace hallmark::rules
