#include "boxes/index_range.h"

#include <algorithm>

namespace hallmark::boxes {

using namespace calculus;

void give_up(const std::string& why) {
  throw NotShown{why};
}

IndexRanges::IndexRanges(const std::vector<SymbolRange>& symbols, const Definition& definition) {
  for (const SymbolRange& s : symbols)
    if (s.high) known_[symbol(s.name)] = {Rational(s.low), Rational(*s.high)};
  for (std::size_t d = 0; d < definition.declaration.extents.size(); ++d)
    bind(axis(static_cast<int>(d)), definition.declaration.extents[d]);
}

void IndexRanges::bind(Term variable, Term extent) {
  const Range n = range(extent);
  known_[variable] = {0, std::max(Rational(0), Rational(n.high - 1))};
}

Range IndexRanges::range(Term t) {
  if (const auto known = known_.find(t); known != known_.end()) return known->second;
  switch (t->kind) {
    case Kind::integer:
      return {t->value, t->value};
    case Kind::product: {
      Range out{1, 1};
      for (Term child : t->children) out = out * range(child);
      return out;
    }
    case Kind::polynomial: {
      Range out{0, 0};
      for (std::size_t i = 0; i < t->children.size(); ++i)
        out = out + Range{Rational(t->coefficients[i]), Rational(t->coefficients[i])} * range(t->children[i]);
      return out;
    }
    case Kind::floor_div: {
      const Range p = range(t->children[0]), q = range(t->children[1]);
      if (q.low < 1) give_up("a quotient of indices");
      const Range exact = p * inverse(q);
      return {exact.low - 1, exact.high};
    }
    case Kind::index_min:
    case Kind::index_max: {
      Range out = range(t->children[0]);
      for (Term child : t->children) {
        const Range each = range(child);
        out = t->kind == Kind::index_min ? Range{std::min(out.low, each.low), std::min(out.high, each.high)}
                                         : Range{std::max(out.low, each.low), std::max(out.high, each.high)};
      }
      return out;
    }
    default:
      give_up("an index of this kind, or one without an upper bound");
  }
}

bool in_one_lane(const Order* order) {
  return order == nullptr || order->kind == Order::Kind::any || order->kind == Order::Kind::seq;
}

Steps IndexRanges::steps_of(FoldParts& parts) {
  Steps out{1, true, {}};
  const auto count = [&](const FoldParts& fold) {
    const Range extent = range(fold.extent);
    out.most *= std::max(Rational(0), extent.high);
    bind(fold.variable, fold.extent);
    const bool always = fold.guard == nullptr || (fold.guard->kind == Kind::truth && fold.guard->number == 1);
    out.never_empty = out.never_empty && always && extent.low >= 1;
    if (!always) out.guards.push_back(fold.guard);
  };
  count(parts);
  while (parts.step[0]->kind == Kind::fold && in_one_lane(parts.order)) {
    const FoldParts inner = open(parts.step[0]);
    const Term state = parts.states[0];
    bool apart = inner.states.size() == 1 && in_one_lane(inner.order) && inner.init[0] == state;
    if (apart)
      for (Term part : {inner.step[0], inner.guard, inner.extent})
        if (part != nullptr) for_each_node(part, [&](Term n) { apart = apart && n != state; });
    if (!apart) give_up("a fold in a fold that does not go on with its state");
    count(inner);
    parts.states = inner.states;
    parts.step = inner.step;
  }
  return out;
}

void IndexRanges::plain(Term t) {
  for_each_node(t, [&](Term n) {
    if (n->kind == Kind::to_index) give_up("an index that is computed from elements");
    if (n->kind == Kind::floor_div && range(n->children[1]).low < 1)
      give_up("a quotient of indices by what may be 0");
  });
}

}  // namespace hallmark::boxes
