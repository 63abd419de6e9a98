#include "rules/whole.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/error.h"

namespace hallmark::rules {

using namespace calculus;

namespace {

bool is_whole_sort(Term t) {
  return t->sort.kind == Sort::Kind::integer;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Refusal("E2113", what + " has no meaning over whole numbers, in an `unbounded` rule");
}

class OverZ {
 public:
  // Of every sort; integer elements become reals.
  Term element(Term t) {
    if (const auto known = known_.find(t); known != known_.end()) return known->second;
    const Term out = made(t);
    known_.emplace(t, out);
    return out;
  }

 private:
  static bool has_fold(Term t) {
    bool found = false;
    for_each_node(t, [&](Term n) {
      found = found || n->kind == Kind::fold || n->kind == Kind::state ||
              (n->kind == Kind::variable && is_whole_sort(n));
    });
    return found;
  }

  Term made(Term t) {
    if (is_whole_sort(t)) return has_fold(t) ? reduced(t) : from_index(number(t), Sort::real());
    if (t->kind == Kind::fold) return fold_of(t);
    if (t->kind == Kind::cast && is_whole_sort(t->children[0]))
      refuse("a conversion of an integer to a real");
    if (t->kind == Kind::to_index && is_whole_sort(t->children[0])) {
      if (has_fold(t->children[0])) refuse("an index that is a reduction");
      return number(t->children[0]);
    }
    if (t->kind == Kind::compare && is_whole_sort(t->children[0])) {
      const Term a = t->children[0], b = t->children[1];
      if (has_fold(a) || has_fold(b)) return compare(t->op, element(a), element(b));
      const Term p = number(a), q = number(b);
      return t->op == Op::eq ? equal(p, q) : t->op == Op::lt ? less(p, q) : at_most(p, q);
    }
    return with_children(t);
  }

  Term with_children(Term t) {
    if (t->children.empty()) return t;
    std::vector<Term> children;
    for (Term child : t->children) children.push_back(element(child));
    return children == t->children ? t : rebuild(t, children);
  }

  // An integer element without reductions, as an index.
  Term number(Term t) {
    const auto operand = [&](std::size_t i) { return number(t->children[i]); };
    const Term zero = integer(Integer(0));
    switch (t->kind) {
      case Kind::load:
        return to_index(with_children(t));
      case Kind::constant:
        return integer(t->value.get_num());
      case Kind::from_index:
        return element(t->children[0]);
      case Kind::cast:
        if (!is_whole_sort(t->children[0])) refuse("a conversion of a real to an integer");
        return operand(0);
      case Kind::select:
        return index_select(element(t->children[0]), operand(1), operand(2));
      case Kind::operation:
        break;
      default:
        refuse("this element");
    }
    switch (t->op) {
      case Op::neg:
        return scale(Integer(-1), operand(0));
      case Op::abs:
        return index_max(operand(0), scale(Integer(-1), operand(0)));
      case Op::add:
        return add(operand(0), operand(1));
      case Op::sub:
        return subtract(operand(0), operand(1));
      case Op::mul:
        return multiply(operand(0), operand(1));
      case Op::max:
        return index_max(operand(0), operand(1));
      case Op::min:
        return index_min(operand(0), operand(1));
      case Op::div:
        return quotient(operand(0), operand(1));
      case Op::mod:
        return index_select(equal(operand(1), zero), zero, mod(operand(0), operand(1)));
      case Op::rem: {
        const Term a = operand(0), b = operand(1);
        return index_select(equal(b, zero), zero, subtract(a, multiply(b, quotient(a, b))));
      }
      default:
        refuse("'" + std::string(name(t->op)) + "'");
    }
  }

  // Cut towards 0; 0 by 0, as the quotient of the total model is.
  static Term quotient(Term a, Term b) {
    const Term below = floor_div(a, b), zero = integer(Integer(0));
    const Term cut = both(less(below, zero), calculus::negation(equal(multiply(below, b), a)));
    return index_select(cut, add(below, integer(Integer(1))), below);
  }

  // An integer element with a reduction in it, as a real.
  Term reduced(Term t) {
    if (t->kind == Kind::fold) return fold_of(t);
    if (t->kind == Kind::cast && is_whole_sort(t->children[0])) return element(t->children[0]);
    if (t->kind == Kind::select)
      return select(element(t->children[0]), element(t->children[1]), element(t->children[2]));
    if (t->kind != Kind::operation) refuse("this element beside a reduction");
    switch (t->op) {
      case Op::neg:
      case Op::abs:
      case Op::add:
      case Op::sub:
      case Op::mul:
      case Op::max:
      case Op::min: {
        std::vector<Term> operands;
        for (Term child : t->children) operands.push_back(element(child));
        return operation(t->op, operands, Sort::real());
      }
      default:
        refuse("'" + std::string(name(t->op)) + "' of a reduction");
    }
  }

  Term fold_of(Term t) {
    FoldParts parts = open(t);
    if (!parts.combine.empty()) refuse("a reduction with a combination of its own");
    parts.extent = element(parts.extent);
    parts.guard = element(parts.guard);
    for (Term& init : parts.init) init = element(init);
    for (Term& state : parts.states) {
      if (!is_whole_sort(state)) continue;
      const Term real = fresh_variable("s", Sort::real());
      known_[state] = real;
      state = real;
    }
    for (Term& step : parts.step) step = element(step);
    return fold(parts, t->which);
  }

  std::unordered_map<Term, Term> known_;
};

}  // namespace

Rule over_whole_numbers(const Rule& rule) {
  Rule out = rule;
  out.unbounded = false;
  for (auto [from, to] : {std::pair(&rule.left, &out.left), std::pair(&rule.right, &out.right)}) {
    Definition last = from->back();
    last.body = OverZ().element(inline_all(last.body, *from));
    if (is_integer(last.declaration.format)) last.declaration.format = Format::f64;
    *to = {last};
  }
  for (Given& given : out.givens) given.body = OverZ().element(given.body);
  return out;
}

namespace {

struct Bounds {
  std::optional<Integer> low, high;
};

Bounds all_of(Format format) {
  const Integer all = power_of_two(storage_bits(format));
  const Integer low = is_signed(format) ? Integer(-all / 2) : Integer(0);
  return {low, Integer(low + all - 1)};
}

Bounds hull(const Bounds& a, const Bounds& b) {
  Bounds out;
  if (a.low && b.low) out.low = std::min(*a.low, *b.low);
  if (a.high && b.high) out.high = std::max(*a.high, *b.high);
  return out;
}

Bounds sum_of(const Bounds& a, const Bounds& b) {
  Bounds out;
  if (a.low && b.low) out.low = *a.low + *b.low;
  if (a.high && b.high) out.high = *a.high + *b.high;
  return out;
}

Bounds negative(const Bounds& a) {
  Bounds out;
  if (a.high) out.low = -*a.high;
  if (a.low) out.high = -*a.low;
  return out;
}

Bounds product_of(const Bounds& a, const Bounds& b) {
  if (!a.low || !a.high || !b.low || !b.high) return {};
  const Integer ends[] = {*a.low * *b.low, *a.low * *b.high, *a.high * *b.low, *a.high * *b.high};
  return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

bool within(const Bounds& a, const Bounds& b) {
  return a.low && a.high && *b.low <= *a.low && *a.high <= *b.high;
}

// Bounds of integer elements of one definition. Each operation is checked against its format.
class Analysis {
 public:
  Analysis(const std::vector<SymbolRange>& symbols, const WholeRanges& ranges,
           const std::vector<Term>& extents)
      : ranges_(ranges) {
    for (const SymbolRange& s : symbols) {
      Bounds b{s.low, {}};
      if (s.high) b.high = *s.high;
      names_[symbol(s.name)] = b;
    }
    for (std::size_t d = 0; d < extents.size(); ++d)
      names_[axis(static_cast<int>(d))] = below(index(extents[d]));
  }

  const std::string& wraps() const { return wraps_; }

  Bounds element(Term t) {
    if (!is_whole_sort(t)) {
      scan(t);
      return {};
    }
    if (const auto seen = seen_.find(t); seen != seen_.end()) return seen->second;
    const Bounds all = all_of(t->sort.format);
    const Bounds found = computed(t);
    seen_[t] = within(found, all) ? found : all;
    if (within(found, all)) return found;
    if (wraps_.empty())
      wraps_ = t->kind == Kind::operation ? "'" + std::string(name(t->op)) + "' of " + to_string(t->sort)
               : t->kind == Kind::cast    ? "a conversion to " + to_string(t->sort)
                                          : "an element of " + to_string(t->sort);
    return all;
  }

 private:
  static Bounds below(const Bounds& extent) {
    Bounds out{Integer(0), {}};
    if (extent.high) out.high = *extent.high - 1;
    return out;
  }

  // Integer elements inside conditions, reads and reals.
  void scan(Term t) {
    if (t->kind == Kind::fold) {
      fold_of(t);
      return;
    }
    for (Term child : t->children)
      if (is_whole_sort(child))
        element(child);
      else
        scan(child);
  }

  Bounds index(Term t) {
    Bounds total{Integer(0), Integer(0)};
    for (const Monomial& m : monomials(t)) {
      Bounds part{Integer(1), Integer(1)};
      if (m.product != nullptr)
        for (Term atom :
             m.product->kind == Kind::product ? m.product->children : std::vector<Term>{m.product})
          part = product_of(part, atom_of(atom));
      total = sum_of(total, product_of(part, {m.coefficient, m.coefficient}));
    }
    return total;
  }

  Bounds atom_of(Term atom) {
    if (const auto known = names_.find(atom); known != names_.end()) return known->second;
    if (atom->kind == Kind::to_index && is_whole_sort(atom->children[0])) return element(atom->children[0]);
    scan(atom);
    return {};
  }

  Bounds computed(Term t) {
    const auto operand = [&](std::size_t i) { return element(t->children[i]); };
    switch (t->kind) {
      case Kind::load: {
        scan(t);
        const auto at = ranges_.find(t->name);
        return at == ranges_.end() ? all_of(t->sort.format) : Bounds{at->second.low, at->second.high};
      }
      case Kind::constant:
        return {t->value.get_num(), t->value.get_num()};
      case Kind::from_index:
        return index(t->children[0]);
      case Kind::select:
        scan(t->children[0]);
        return hull(operand(1), operand(2));
      case Kind::cast:
        if (is_whole_sort(t->children[0])) return operand(0);
        // Of reals and truth values every result is one of the format.
        scan(t->children[0]);
        return t->children[0]->sort == Sort::boolean() ? Bounds{Integer(0), Integer(1)}
                                                       : all_of(t->sort.format);
      case Kind::variable: {
        const auto known = names_.find(t);
        return known == names_.end() ? Bounds{} : known->second;
      }
      case Kind::fold:
        return fold_of(t);
      case Kind::operation:
        break;
      default:
        scan(t);
        return {};
    }
    switch (t->op) {
      case Op::neg:
        return negative(operand(0));
      case Op::abs: {
        const Bounds a = operand(0), b = negative(a);
        return {Integer(0), hull(a, b).high};
      }
      case Op::add:
        return sum_of(operand(0), operand(1));
      case Op::sub:
        return sum_of(operand(0), negative(operand(1)));
      case Op::mul:
        return product_of(operand(0), operand(1));
      case Op::max:
      case Op::min:
        return hull(operand(0), operand(1));
      case Op::div:  // no farther from 0 than the dividend
      case Op::rem: {
        const Bounds a = operand(0), b = operand(1);
        // Only by a negative number does the sign change.
        const bool turns = t->op == Op::div && (!b.low || *b.low < 0);
        return hull({Integer(0), Integer(0)}, turns ? hull(a, negative(a)) : a);
      }
      case Op::mod: {
        operand(0);
        const Bounds divisor = operand(1);
        if (divisor.low && divisor.high && *divisor.low > 0) return {Integer(0), *divisor.high - 1};
        return hull({Integer(0), Integer(0)}, divisor);
      }
      default:
        for (Term child : t->children) element(child);
        return {};
    }
  }

  // A sum over at most n steps stays between init and init + n * body; extrema between init and body.
  Bounds fold_of(Term t) {
    const FoldParts parts = open(t);
    const Bounds extent = index(parts.extent);
    names_[parts.variable] = below(extent);
    scan(parts.guard);
    std::vector<Bounds> init;
    for (Term i : parts.init) init.push_back(element(i));
    const Term step = parts.step[0], state = parts.states[0];
    const bool plain = t->size == 1 && is_whole_sort(t) && step->kind == Kind::operation &&
                       step->children.size() == 2 &&
                       (step->children[0] == state || step->children[1] == state);
    if (!plain || !extent.high) {
      for (Term s : parts.states)
        if (is_whole_sort(s)) names_[s] = all_of(s->sort.format);
      for (Term s : parts.step) element(s);
      return {};
    }
    const Bounds body = element(step->children[0] == state ? step->children[1] : step->children[0]);
    if (step->op == Op::max || step->op == Op::min) return hull(init[0], body);
    if (step->op != Op::add) return {};
    const Bounds steps{Integer(0), std::max(Integer(0), *extent.high)};
    return sum_of(init[0], product_of(steps, hull(body, {Integer(0), Integer(0)})));
  }

  const WholeRanges& ranges_;
  std::unordered_map<Term, Bounds> names_, seen_;
  std::string wraps_;
};

}  // namespace

std::string may_wrap(const std::vector<Definition>& definitions, const std::vector<SymbolRange>& symbols,
                     WholeRanges ranges) {
  for (const Definition& d : definitions) {
    Analysis analysis(symbols, ranges, d.declaration.extents);
    const Bounds found = analysis.element(d.body);
    if (!analysis.wraps().empty()) return analysis.wraps() + " in " + d.declaration.name;
    if (is_integer(d.declaration.format)) ranges[d.declaration.name] = {*found.low, *found.high};
  }
  return {};
}

WholeRanges with_definitions(const std::vector<Definition>& definitions,
                             const std::vector<SymbolRange>& symbols, WholeRanges ranges) {
  for (const Definition& d : definitions) {
    if (!is_integer(d.declaration.format)) continue;
    const Bounds found = Analysis(symbols, ranges, d.declaration.extents).element(d.body);
    ranges[d.declaration.name] = {*found.low, *found.high};
  }
  return ranges;
}

std::vector<Given> givens_of(const WholeRanges& ranges, const std::vector<Declaration>& tensors) {
  std::vector<Given> out;
  for (const Declaration& t : tensors) {
    const auto at = ranges.find(t.name);
    if (at == ranges.end() || !is_integer(t.format)) continue;
    std::vector<Term> indices;
    for (std::size_t d = 0; d < t.extents.size(); ++d) indices.push_back(axis(static_cast<int>(d)));
    const Term value = to_index(load(t.name, indices, Sort::integer(t.format)));
    out.push_back(
        {t.extents, both(at_most(integer(at->second.low), value), at_most(value, integer(at->second.high)))});
  }
  return out;
}

KnownRange range_of(Term element) {
  const std::vector<SymbolRange> symbols;
  const WholeRanges ranges;
  Analysis analysis(symbols, ranges, {});
  const Bounds found = analysis.element(element);
  return {{*found.low, *found.high}, !analysis.wraps().empty()};
}

bool holds_integers(Format format, const WholeRange& range) {
  const Integer most = power_of_two(significand_bits(format));
  return -most <= range.low && range.high <= most;
}

}  // namespace hallmark::rules
