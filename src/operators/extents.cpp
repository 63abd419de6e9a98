#include "operators/extents.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

std::optional<Integer> plus(const std::optional<Integer>& a, const std::optional<Integer>& b) {
  if (!a || !b) return std::nullopt;
  return Integer(*a + *b);
}

Bounds scaled(const Integer& factor, Bounds b) {
  if (b.low) *b.low *= factor;
  if (b.high) *b.high *= factor;
  if (factor < 0) std::swap(b.low, b.high);
  return b;
}

// Only of factors that are not negative; anything else is unbounded.
Bounds multiplied(const Bounds& a, const Bounds& b) {
  if (!a.low || !b.low || *a.low < 0 || *b.low < 0) return {};
  Bounds out;
  out.low = *a.low * *b.low;
  if (a.high && b.high) out.high = *a.high * *b.high;
  return out;
}

Bounds extremum(Term index, const SymbolRanges& ranges, bool least) {
  Bounds out = bounds(index->children[0], ranges);
  for (std::size_t i = 1; i < index->children.size(); ++i) {
    const Bounds b = bounds(index->children[i], ranges);
    // One operand that bounds a minimum from above (a maximum from below) is enough.
    auto& any = least ? out.high : out.low;
    auto& all = least ? out.low : out.high;
    const auto& b_any = least ? b.high : b.low;
    const auto& b_all = least ? b.low : b.high;
    if (b_any && (!any || (least ? *b_any < *any : *b_any > *any))) any = b_any;
    if (!b_all)
      all.reset();
    else if (all && (least ? *b_all < *all : *b_all > *all))
      all = b_all;
  }
  return out;
}

Bounds bounds_of_atom(Term index, const SymbolRanges& ranges) {
  switch (index->kind) {
    case Kind::integer:
      return {index->value.get_num(), index->value.get_num()};
    case Kind::symbol: {
      const auto found = ranges.find(index->name);
      if (found == ranges.end()) return {};
      return {found->second.low, found->second.high};
    }
    case Kind::product: {
      Bounds out = bounds(index->children[0], ranges);
      for (std::size_t i = 1; i < index->children.size(); ++i)
        out = multiplied(out, bounds(index->children[i], ranges));
      return out;
    }
    case Kind::floor_div: {
      const Integer* divisor = as_integer(index->children[1]);
      if (divisor == nullptr || *divisor <= 0) return {};
      Bounds out = bounds(index->children[0], ranges);
      if (out.low) out.low = floor_div(*out.low, *divisor);
      if (out.high) out.high = floor_div(*out.high, *divisor);
      return out;
    }
    case Kind::index_min:
    case Kind::index_max:
      return extremum(index, ranges, index->kind == Kind::index_min);
    default:
      return {};
  }
}

}  // namespace

Bounds bounds(Term index, const SymbolRanges& ranges) {
  Bounds out{Integer(0), Integer(0)};
  for (const Monomial& m : monomials(index)) {
    Bounds part{Integer(1), Integer(1)};
    if (m.product != nullptr) part = bounds_of_atom(m.product, ranges);
    part = scaled(m.coefficient, part);
    out.low = plus(out.low, part.low);
    out.high = plus(out.high, part.high);
  }
  return out;
}

Decision is_equal(Term a, Term b, const SymbolRanges& ranges) {
  if (a == b) return Decision::yes;
  const Term condition = equal(a, b);
  if (condition->kind == Kind::truth) return condition->number != 0 ? Decision::yes : Decision::no;
  const Bounds d = bounds(subtract(a, b), ranges);
  if ((d.low && *d.low > 0) || (d.high && *d.high < 0)) return Decision::no;
  if (d.low && d.high && *d.low == 0 && *d.high == 0) return Decision::yes;
  return Decision::unknown;
}

Decision is_at_most(Term a, Term b, const SymbolRanges& ranges) {
  const Bounds d = bounds(subtract(a, b), ranges);
  if (d.high && *d.high <= 0) return Decision::yes;
  if (d.low && *d.low > 0) return Decision::no;
  return Decision::unknown;
}

namespace {

class Simplifier {
 public:
  Simplifier(const SymbolRanges& ranges, const Extents& extents) : ranges_(ranges) {
    // Axes are given names that no symbol has, so that bounds() knows them.
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const Term stand_in = symbol("axis " + std::to_string(d) + "\n");
      SymbolRange range{stand_in->name, 0, std::nullopt};
      if (const Bounds b = bounds(extents[d], ranges); b.high) range.high = *b.high - 1;
      if (range.high && *range.high < 0) range.high = 0;  // an empty axis has no index at all
      if (extents[d] == integer(1)) single_.push_back(axis(static_cast<int>(d)));
      ranges_.emplace(stand_in->name, range);
      stand_ins_.emplace(axis(static_cast<int>(d)), stand_in);
    }
  }

  Term run(Term a) {
    if (!has_fold(a)) return rewrite(a, [&](Term node) { return step(node); });
    // Variables of opened folds are fresh, so that a term means the same wherever it stands.
    if (const auto at = done_.find(a); at != done_.end()) return at->second;
    Term out = nullptr;
    if (a->kind == Kind::fold) {
      out = fold_of(a);
    } else {
      std::vector<Term> children;
      for (const Term child : a->children) children.push_back(run(child));
      out = step(rebuild(a, children));
    }
    done_.emplace(a, out);
    return out;
  }

 private:
  bool has_fold(Term a) {
    const auto [at, is_new] = has_fold_.try_emplace(a, a->kind == Kind::fold);
    if (is_new && !at->second)
      for (const Term child : a->children)
        if (has_fold(child)) return has_fold_[a] = true;
    return has_fold_[a];
  }

  // Inside a fold its variable is below the extent.
  Term fold_of(Term a) {
    FoldParts parts = open(a);
    parts.extent = run(parts.extent);
    for (Term& init : parts.init) init = run(init);
    const Term stand_in = symbol("variable " + std::to_string(depth_++) + "\n");
    SymbolRange range{stand_in->name, 0, std::nullopt};
    if (const Bounds b = of(parts.extent); b.high) range.high = *b.high - 1;
    if (range.high && *range.high < 0) range.high = 0;  // no index at all
    ranges_[stand_in->name] = range;
    stand_ins_[parts.variable] = stand_in;
    if (parts.guard != nullptr) parts.guard = run(parts.guard);
    for (auto* terms : {&parts.step, &parts.combine})
      for (Term& term : *terms) term = run(term);
    stand_ins_.erase(parts.variable);
    --depth_;
    return fold(parts, static_cast<int>(a->which));
  }

  Bounds of(Term index) const {
    return bounds(stand_ins_.empty() ? index : substitute(index, stand_ins_), ranges_);
  }

  // Whether the index fits an integer format, so that from_index() keeps its value.
  bool fits(Term index, Format format) const {
    const Bounds b = of(index);
    const unsigned bits = storage_bits(format);
    const bool with_sign = is_signed(format);
    const Integer end = power_of_two(with_sign ? bits - 1 : bits);
    return b.low && b.high && *b.low >= (with_sign ? Integer(-end) : Integer(0)) && *b.high < end;
  }

  // The index that an integer term was made of.
  Term index_of(Term element) const {
    if (element->sort.kind != Sort::Kind::integer) return nullptr;
    if (element->kind == Kind::constant) return integer(element->value.get_num());
    if (element->kind == Kind::from_index && fits(element->children[0], element->sort.format))
      return element->children[0];
    return nullptr;
  }

  Term step(Term node) const {
    switch (node->kind) {
      case Kind::axis:
        return std::find(single_.begin(), single_.end(), node) != single_.end() ? integer(0) : node;
      case Kind::at_most_zero: {
        const Bounds b = of(node->children[0]);
        if (b.high && *b.high <= 0) return truth(true);
        if (b.low && *b.low > 0) return truth(false);
        return node;
      }
      case Kind::is_zero: {
        const Bounds b = of(node->children[0]);
        if ((b.low && *b.low > 0) || (b.high && *b.high < 0)) return truth(false);
        if (b.low && b.high && *b.low == 0 && *b.high == 0) return truth(true);
        return node;
      }
      case Kind::floor_div: {
        const Integer* divisor = as_integer(node->children[1]);
        const Bounds b = of(node->children[0]);
        if (divisor == nullptr || *divisor <= 0 || !b.low || !b.high) return node;
        const Integer low = floor_div(*b.low, *divisor), high = floor_div(*b.high, *divisor);
        return low == high ? integer(low) : node;
      }
      case Kind::to_index: {
        const Term index = index_of(node->children[0]);
        return index != nullptr ? index : node;
      }
      case Kind::compare: {
        const Term a = index_of(node->children[0]), b = index_of(node->children[1]);
        if (a == nullptr || b == nullptr) return node;
        if (node->op == Op::eq) return step(equal(a, b));
        return step(node->op == Op::le ? at_most(a, b) : less(a, b));
      }
      default:
        return node;
    }
  }

  SymbolRanges ranges_;
  Substitution stand_ins_;
  std::vector<Term> single_;  // axes of extent 1, whose index is 0
  std::unordered_map<Term, bool> has_fold_;
  std::unordered_map<Term, Term> done_;
  unsigned depth_ = 0;  // of folds around
};

}  // namespace

Term simplify(Term term, const SymbolRanges& ranges, const Extents& extents) {
  return Simplifier(ranges, extents).run(term);
}

Term product(const Extents& extents) {
  Term out = integer(1);
  for (Term e : extents) out = multiply(out, e);
  return out;
}

std::optional<std::vector<std::int64_t>> concrete(const Extents& extents) {
  std::vector<std::int64_t> out;
  for (Term e : extents) {
    const Integer* value = as_integer(e);
    const auto small = value != nullptr ? to_i64(*value) : std::nullopt;
    if (!small) return std::nullopt;
    out.push_back(*small);
  }
  return out;
}

std::string text(Term index) {
  std::string out;
  for (const Monomial& m : monomials(index)) {
    std::string part = m.coefficient.get_str();
    if (m.product != nullptr) {
      const auto atom = [](Term a) { return a->kind == Kind::symbol ? a->name : std::string("(...)"); };
      std::string atoms;
      if (m.product->kind == Kind::product)
        for (Term a : m.product->children) atoms += (atoms.empty() ? "" : "*") + atom(a);
      else
        atoms = atom(m.product);
      part = m.coefficient == 1 ? atoms : part + "*" + atoms;
    }
    out += (out.empty() ? "" : " + ") + part;
  }
  return out.empty() ? "0" : out;
}

std::string text(const Extents& extents) {
  std::string out = "[";
  for (std::size_t d = 0; d < extents.size(); ++d) out += (d > 0 ? ", " : "") + text(extents[d]);
  return out + "]";
}

Term flatten(const std::vector<Term>& indices, const Extents& extents) {
  ensure(indices.size() == extents.size(), "flatten() of a wrong number of indices");
  Term out = integer(0);
  for (std::size_t d = 0; d < indices.size(); ++d) out = add(multiply(out, extents[d]), indices[d]);
  return out;
}

std::vector<Term> unflatten(Term position, const Extents& extents) {
  std::vector<Term> out(extents.size());
  Term stride = integer(1);
  for (std::size_t d = extents.size(); d-- > 0;) {
    const Term shifted = floor_div(position, stride);
    out[d] = d == 0 ? shifted : mod(shifted, extents[d]);
    stride = multiply(stride, extents[d]);
  }
  return out;
}

std::vector<Term> reshaped(const Extents& from, const Extents& to, const std::vector<Term>& indices) {
  const Term one = integer(1);
  // Only to choose which side grows; that a group is right rests on the equality of the two products.
  SymbolRanges positive;
  for (const Extents* side : {&from, &to})
    for (Term extent : *side)
      for_each_node(extent, [&](Term node) {
        if (node->kind == Kind::symbol) positive[node->name] = {node->name, 1, std::nullopt};
      });
  std::vector<Term> out(from.size(), integer(0));
  std::vector<std::size_t> left, right;  // axes whose extent is not 1
  for (std::size_t d = 0; d < from.size(); ++d)
    if (from[d] != one) left.push_back(d);
  for (std::size_t d = 0; d < to.size(); ++d)
    if (to[d] != one) right.push_back(d);
  std::size_t i = 0, j = 0;
  while (i < left.size() && j < right.size()) {
    // The smallest group: grow the side with fewer elements until the products agree.
    std::size_t i_end = i + 1, j_end = j + 1;
    Term a = from[left[i]], b = to[right[j]];
    while (a != b) {
      const Bounds d = bounds(subtract(a, b), positive);
      const bool grow_left = d.high ? *d.high < 0 : (d.low ? false : i_end < left.size());
      if (grow_left && i_end < left.size())
        a = multiply(a, from[left[i_end++]]);
      else if (!grow_left && j_end < right.size())
        b = multiply(b, to[right[j_end++]]);
      else
        break;
    }
    if (a != b) {  // not comparable: everything that is left is one group
      i_end = left.size();
      j_end = right.size();
    }
    std::vector<Term> group_indices;
    Extents group_to, group_from;
    for (std::size_t g = j; g < j_end; ++g) {
      group_indices.push_back(indices[right[g]]);
      group_to.push_back(to[right[g]]);
    }
    for (std::size_t g = i; g < i_end; ++g) group_from.push_back(from[left[g]]);
    const std::vector<Term> found = unflatten(flatten(group_indices, group_to), group_from);
    for (std::size_t g = i; g < i_end; ++g) out[left[g]] = found[g - i];
    i = i_end;
    j = j_end;
  }
  return out;
}

std::vector<Term> axes(std::size_t rank) {
  std::vector<Term> out;
  for (std::size_t d = 0; d < rank; ++d) out.push_back(axis(static_cast<int>(d)));
  return out;
}

}  // namespace hallmark::operators
