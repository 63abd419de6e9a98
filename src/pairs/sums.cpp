#include "pairs/sums.h"

#include <fmt/format.h>

#include <map>

namespace hallmark::pairs {
namespace {

using namespace calculus;

// What somebody may write who wants the reader never to end is not read.
constexpr std::size_t most_summands = 512, most_factors = 64, most_reads = 20000;

bool mentions(Term a, Term leaf) {
  bool found = false;
  for_each_node(a, [&](Term n) { found = found || n == leaf; });
  return found;
}

class Reader {
 public:
  std::vector<Summand> read(Term a) {
    if (++reads_ > most_reads) throw NotShown{"a term that is longer than is looked at"};
    if (a->sort != Sort::real() && a->sort.kind != Sort::Kind::integer)
      throw NotShown{"sums of " + to_string(a->sort) + " depend on their order"};
    if (a->kind == Kind::constant) {
      if (a->value == 0) return {};
      Summand out = one();
      out.coefficient = a->value;
      return {out};
    }
    if (a->kind == Kind::select) {
      std::vector<Summand> out = guarded(read(a->children[1]), a->children[0]);
      append(out, guarded(read(a->children[2]), negation(a->children[0])));
      return out;
    }
    if (a->kind == Kind::fold) return of_fold(a);
    if (a->kind == Kind::operation) return of_operation(a);
    return factor(a);
  }

 private:
  static Summand one() {
    Summand out;
    out.guard = truth(true);
    return out;
  }
  static std::vector<Summand> factor(Term a) {
    Summand out = one();
    out.factors = {a};
    return {out};
  }
  static void append(std::vector<Summand>& to, std::vector<Summand> more) {
    if (to.size() + more.size() > most_summands) throw NotShown{"more summands than are looked at"};
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  static std::vector<Summand> guarded(std::vector<Summand> all, Term condition) {
    for (Summand& s : all) s.guard = both(s.guard, condition);
    return all;
  }
  static std::vector<Summand> times(std::vector<Summand> all, const Rational& number) {
    for (Summand& s : all) s.coefficient *= number;
    return all;
  }

  std::vector<Summand> of_operation(Term a) {
    const auto part = [&](std::size_t i) { return read(a->children[i]); };
    if (a->rounding != Rounding::none) return factor(a);
    switch (a->op) {
      case Op::neg:
        return times(part(0), -1);
      case Op::add:
      case Op::sub: {
        std::vector<Summand> out = part(0);
        append(out, times(part(1), a->op == Op::add ? 1 : -1));
        return out;
      }
      case Op::mul: {
        // Both are read, so that the variables of a sum that is a factor twice are not the same.
        const std::vector<Summand> left = part(0), right = part(1);
        std::vector<Summand> out;
        for (const Summand& l : left)
          for (const Summand& r : right) append(out, {product(l, r)});
        return out;
      }
      case Op::div: {
        if (a->sort != Sort::real()) return factor(a);
        const Term divisor = a->children[1];
        if (divisor->kind == Kind::constant && divisor->value != 0) return times(part(0), 1 / divisor->value);
        std::vector<Summand> out = part(0);
        for (Summand& s : out) s.factors.push_back(operation(Op::reciprocal, {divisor}, Sort::real()));
        return out;
      }
      default:
        return factor(a);
    }
  }

  static Summand product(const Summand& l, const Summand& r) {
    Summand out = l;
    out.coefficient *= r.coefficient;
    out.binders.insert(out.binders.end(), r.binders.begin(), r.binders.end());
    out.guard = both(out.guard, r.guard);
    out.factors.insert(out.factors.end(), r.factors.begin(), r.factors.end());
    if (out.factors.size() > most_factors || out.binders.size() > most_factors)
      throw NotShown{"more factors than are looked at"};
    return out;
  }

  // A fold that adds, to its start value, what does not depend on the running sum.
  std::vector<Summand> of_fold(Term a) {
    if (a->size != 1 || a->order != any_order()) return factor(a);
    FoldParts parts = calculus::open(a);
    if (!parts.combine.empty() || parts.init[0]->kind == Kind::extreme) return factor(a);
    // Names that do not depend on what was opened before: terms are put in order by them.
    const Term variable = calculus::variable(fmt::format("%{:04}", ++opened_));
    const Term state = calculus::variable(fmt::format("%{:04}s", opened_), parts.states[0]->sort);
    const Substitution names{{parts.variable, variable}, {parts.states[0], state}};
    const Term guard = parts.guard == nullptr ? truth(true) : substitute(parts.guard, names);
    const Term step = substitute(parts.step[0], names);
    if (step->kind != Kind::operation || step->op != Op::add || step->rounding != Rounding::none)
      return factor(a);
    Term body = nullptr;
    if (step->children[0] == state)
      body = step->children[1];
    else if (step->children[1] == state)
      body = step->children[0];
    if (body == nullptr || mentions(body, state) || mentions(guard, state)) return factor(a);
    std::vector<Summand> out = read(parts.init[0]);
    std::vector<Summand> inside = read(body);
    for (Summand& s : inside) {
      s.binders.insert(s.binders.begin(), {variable, parts.extent});
      s.guard = both(guard, s.guard);
    }
    append(out, std::move(inside));
    return out;
  }

  int opened_ = 0;
  std::size_t reads_ = 0;
};

Term inlined(const std::vector<Definition>& definitions) {
  std::map<std::string, Term> bodies;  // of what was defined before, without loads of anything defined
  Term last = nullptr;
  for (const Definition& d : definitions) {
    last = rewrite(d.body, [&](Term node) {
      if (node->kind != Kind::load) return node;
      const auto body = bodies.find(node->name);
      return body == bodies.end() ? node : instantiate(body->second, node->children);
    });
    bodies[d.declaration.name] = last;
  }
  if (last == nullptr) throw NotShown{"a side without a definition"};
  return last;
}

}  // namespace

Sides sides_of(std::string name, std::vector<SymbolRange> symbols, std::vector<Term> requirements,
               const std::vector<Declaration>& tensors, const std::vector<Definition>& left,
               const std::vector<Definition>& right) {
  Sides out{std::move(name), std::move(symbols), std::move(requirements), {}, {}, nullptr, nullptr};
  for (const Declaration& t : tensors)
    out.existing.insert(out.existing.end(), t.extents.begin(), t.extents.end());
  for (const Definition& d : left)
    out.existing.insert(out.existing.end(), d.declaration.extents.begin(), d.declaration.extents.end());
  out.left = inlined(left);
  out.right = inlined(right);
  if (out.left->sort != out.right->sort) throw NotShown{"sides of two sorts"};
  out.extents = left.back().declaration.extents;
  return out;
}

std::vector<Term> facts_of(const Sides& sides) {
  std::vector<Term> out;
  const auto state = [&](Term fact) {
    if (fact != truth(true) && std::find(out.begin(), out.end(), fact) == out.end()) out.push_back(fact);
  };
  for (const SymbolRange& s : sides.symbols) {
    state(at_most(integer(s.low), symbol(s.name)));
    if (s.high) state(at_most(symbol(s.name), integer(*s.high)));
  }
  for (Term r : sides.requirements) state(r);
  for (Term extent : sides.existing) state(at_most(integer(0), extent));
  for (std::size_t d = 0; d < sides.extents.size(); ++d)
    state(in_range(axis(static_cast<int>(d)), sides.extents[d]));
  return out;
}

std::vector<Summand> difference_of(Term left, Term right) {
  Reader reader;
  std::vector<Summand> out = reader.read(left);
  for (Summand& s : reader.read(right)) {
    s.coefficient = -s.coefficient;
    out.push_back(std::move(s));
  }
  return out;
}

}  // namespace hallmark::pairs
