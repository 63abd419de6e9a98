// Conditions over symbols, decided by intervals: three-valued, and what is not decided does not fire.
#include <optional>

#include "operators/extents.h"
#include "search/egraph.h"

namespace hallmark::search {

using namespace calculus;

namespace {

struct Bounds {
  std::optional<Integer> low, high;
};

Bounds times(const Bounds& a, const Bounds& b) {
  // Only nonnegative factors are multiplied; anything else is left unbounded.
  if (!a.low || !b.low || *a.low < 0 || *b.low < 0) return {};
  Bounds out;
  out.low = *a.low * *b.low;
  if (a.high && b.high) out.high = *a.high * *b.high;
  return out;
}

class Ranges {
 public:
  explicit Ranges(const std::vector<SymbolRange>& symbols) : symbols_(symbols) {}

  Bounds of(Term index) const {
    Bounds total{Integer(0), Integer(0)};
    for (const Monomial& m : monomials(index)) {
      Bounds part{Integer(1), Integer(1)};
      if (m.product != nullptr && m.product->kind == Kind::product)
        for (Term atom : m.product->children) part = times(part, atom_bounds(atom));
      else if (m.product != nullptr)
        part = atom_bounds(m.product);
      if (m.coefficient < 0) std::swap(part.low, part.high);
      total.low = total.low && part.low ? std::optional<Integer>(*total.low + m.coefficient * *part.low)
                                        : std::nullopt;
      total.high = total.high && part.high ? std::optional<Integer>(*total.high + m.coefficient * *part.high)
                                           : std::nullopt;
    }
    return total;
  }

 private:
  Bounds atom_bounds(Term atom) const {
    if (atom->kind == Kind::symbol)
      for (const SymbolRange& s : symbols_)
        if (s.name == atom->name) return {s.low, s.high};
    if (atom->kind == Kind::floor_div) {
      const Integer* divisor = as_integer(atom->children[1]);
      const Bounds p = of(atom->children[0]);
      if (divisor == nullptr || *divisor <= 0) return {};
      Bounds out;
      if (p.low) out.low = floor_div(*p.low, *divisor);
      if (p.high) out.high = floor_div(*p.high, *divisor);
      return out;
    }
    return {};
  }

  const std::vector<SymbolRange>& symbols_;
};

}  // namespace

Term EGraph::simplified(Term element, const std::vector<Term>& extents) const {
  operators::SymbolRanges ranges;
  for (const SymbolRange& s : symbols_) ranges[s.name] = s;
  return operators::simplify(element, ranges, extents);
}

bool EGraph::holds(Term condition) const {
  const Ranges ranges(symbols_);
  switch (condition->kind) {
    case Kind::truth:
      return condition->number != 0;
    case Kind::at_most_zero: {
      const Bounds p = ranges.of(condition->children[0]);
      return p.high && *p.high <= 0;
    }
    case Kind::conjunction:
      for (Term part : condition->children)
        if (!holds(part)) return false;
      return true;
    case Kind::disjunction:
      for (Term part : condition->children)
        if (holds(part)) return true;
      return false;
    case Kind::negation: {
      if (condition->children[0]->kind != Kind::is_zero) return false;
      const Bounds p = ranges.of(condition->children[0]->children[0]);
      return (p.low && *p.low > 0) || (p.high && *p.high < 0);
    }
    default:
      return false;
  }
}

}  // namespace hallmark::search
