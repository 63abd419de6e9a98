#include "rules/reals.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "rules/abstraction.h"
#include "rules/any_type.h"
#include "rules/bijection.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

constexpr int maximum_depth = 12;  // of opaque factors inside opaque factors

struct Entry {
  Term skeleton;
  std::size_t holes;
  std::string name;
};

class Prover {
 public:
  Prover(std::string& failure) : failure_(failure) {}

  bool equal_terms(Term left, Term right, const Context& context, int depth) {
    if (left == right) return true;
    if (left->sort != right->sort) return false;
    if (left->sort != Sort::real()) return same_operations(left, right, context.facts, context.oracle);
    if (depth > maximum_depth) return false;
    const NormalForm l = normalise(left, context), r = normalise(right, context);
    if (!l.empty() && !r.empty() && to_term(l) == to_term(r)) return true;
    // left - right = 0: summands cancel in pairs or have empty index sets.
    NormalForm all = l;
    for (Summand s : r) {
      s.coefficient = -s.coefficient;
      all.push_back(std::move(s));
    }
    return cancels(all, context, depth);
  }

 private:
  bool cancels(const NormalForm& all, const Context& context, int depth) {
    std::vector<IndexSet> sets;
    std::vector<Rational> rest;
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
    }
    for (std::size_t i = 0; i < sets.size(); ++i)
      for (std::size_t j = i + 1; j < sets.size() && rest[i] != 0; ++j) {
        if (rest[j] == 0 || sgn(rest[i]) == sgn(rest[j])) continue;
        if (!equal_by_bijection(sets[i], sets[j], context.facts, context.oracle)) continue;
        context.laws.insert("BIJ");
        const Rational moved = abs(rest[i]) < abs(rest[j]) ? rest[i] : Rational(-rest[j]);
        rest[i] -= moved;
        rest[j] += moved;
      }
    for (std::size_t i = 0; i < sets.size(); ++i) {
      if (rest[i] == 0) continue;
      if (shown_empty(sets[i], context.facts, context.oracle)) {
        context.laws.insert("EMPTY");
        continue;
      }
      failure_ = "no partner for the summand with factors";
      for (const IndexedFactor& f : sets[i].factors) failure_ += " " + f.head;
      return false;
    }
    return true;
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
    for (const Entry& entry : entries_) {
      if (entry.holes != abstract.arguments().size() || !alike(entry.skeleton, f)) continue;
      std::vector<std::size_t> order(entry.holes);
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
    entries_.push_back(
        {abstract.skeleton(), abstract.arguments().size(), "f" + std::to_string(entries_.size()) + "'"});
    return {entries_.back().name, abstract.arguments()};
  }

  static bool alike(Term a, Term b) {
    return a->kind == b->kind && a->op == b->op && a->name == b->name &&
           a->children.size() == b->children.size();
  }

  // The same opaque operation on operands that are equal over the reals.
  bool equal_factors(Term a, Term b, const Context& context, int depth) {
    if (a == b) return true;
    if (!alike(a, b)) return false;
    if (a->kind == Kind::operation) {
      if (a->op == Op::max || a->op == Op::min) return equal_extrema(a, b, context, depth);
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

  static bool is_extremum(Term a, Op op, Term& state_free, FoldParts& parts) {
    if (a->kind != Kind::fold || a->size != 1) return false;
    parts = calculus::open(a);
    const Term step = parts.step[0], state = parts.states[0];
    if (step->kind != Kind::operation || step->op != op) return false;
    if (step->children[0] == state)
      state_free = step->children[1];
    else if (step->children[1] == state)
      state_free = step->children[0];
    else
      return false;
    bool mentions = false;
    for_each_node(state_free, [&](Term n) { mentions = mentions || n == state; });
    return !mentions;
  }

  bool pieces_of(Term a, Op op, const Context& context, std::vector<Binder> binders, Term guard,
                 std::vector<Piece>& out) {
    if (a->kind == Kind::operation && a->op == op)
      return pieces_of(a->children[0], op, context, binders, guard, out) &&
             pieces_of(a->children[1], op, context, binders, guard, out);
    Term body = nullptr;
    FoldParts parts;
    if (is_extremum(a, op, body, parts)) {
      const bool from_nothing = parts.init[0]->kind == Kind::extreme;
      if (!from_nothing && !pieces_of(parts.init[0], op, context, binders, guard, out)) return false;
      // Only a maximum with a start value may be empty.
      if (from_nothing &&
          (parts.guard != truth(true) ||
           !context.oracle.entails(context.facts, less(integer(Integer(0)), parts.extent), "NONEMPTY")))
        return false;
      binders.push_back({parts.variable, parts.extent});
      return pieces_of(body, op, context.with({in_range(parts.variable, parts.extent)}), binders,
                       both(guard, parts.guard), out);
    }
    out.push_back({std::move(binders), guard, a});
    return true;
  }

  bool equal_extrema(Term a, Term b, const Context& context, int depth) {
    Op op = a->op;
    if (a->kind == Kind::fold) {
      const Term step = a->children.back();
      if (step->kind != Kind::operation || (step->op != Op::max && step->op != Op::min)) return false;
      op = step->op;
    }
    std::vector<Piece> left, right;
    if (!pieces_of(a, op, context, {}, truth(true), left) ||
        !pieces_of(b, op, context, {}, truth(true), right))
      return false;
    if (left.size() != right.size()) return false;
    context.laws.insert("MAX-SPLIT");
    std::vector<bool> used(right.size(), false);
    for (const Piece& piece : left) {
      bool found = false;
      for (std::size_t j = 0; j < right.size() && !found; ++j) {
        if (used[j] || !context.oracle.attempt([&] { return equal_pieces(piece, right[j], context, depth); }))
          continue;
        used[j] = found = true;
      }
      if (!found) return false;
    }
    return true;
  }

  bool equal_pieces(const Piece& a, const Piece& b, const Context& context, int depth) {
    const auto as_set = [&](const Piece& p) {
      IndexSet set;
      set.binders = p.binders;
      set.guard = p.guard;
      set.factors = {named(p.element, context.with(membership(set)), depth + 1)};
      return set;
    };
    return equal_by_bijection(as_set(a), as_set(b), context.facts, context.oracle);
  }

  std::string& failure_;
  std::vector<Entry> entries_;
};

}  // namespace

bool equal_over_reals(Term left, Term right, const Context& context, std::string& failure) {
  return Prover(failure).equal_terms(left, right, context, 0);
}

}  // namespace hallmark::rules
