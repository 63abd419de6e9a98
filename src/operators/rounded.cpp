#include "operators/rounded.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.h"
#include "evaluator/float_format.h"
#include "evaluator/real_operation.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

bool is_real(Term a) {
  return a->sort.kind == Sort::Kind::real;
}

bool rounds(Op op) {
  return op == Op::add || op == Op::sub || op == Op::mul || op == Op::div || op == Op::sqrt;
}

// Of values of one format, the result is one.
bool is_exact(Op op) {
  return op == Op::neg || op == Op::abs || op == Op::min || op == Op::max || op == Op::floor ||
         op == Op::ceil || op == Op::trunc || op == Op::round_even;
}

class Rounder {
 public:
  explicit Rounder(Format format) : format_(format), sort_(Sort::floating(format)) {}

  Term of(Term a) {
    if (const auto found = memo_.find(a); found != memo_.end()) return found->second;
    const Term out = has_reals(a) ? find(a) : a;
    memo_.emplace(a, out);
    return out;
  }

 private:
  Term find(Term a) {
    if (a->kind == Kind::constant)
      return float_constant(format_, evaluator::encode(format_, evaluator::nearest(format_, a->value)));
    if (a->kind == Kind::fold || a->kind == Kind::load || a->kind == Kind::extreme || a->kind == Kind::state)
      return nullptr;
    std::vector<Term> children;
    for (Term child : a->children) {
      children.push_back(of(child));
      if (children.back() == nullptr) return nullptr;
    }
    if (!is_real(a)) {
      return a->kind == Kind::cast ? cast(children[0], a->sort, a->format) : rebuild(a, children);
    }
    switch (a->kind) {
      case Kind::operation: {
        if (!rounds(a->op) && !is_exact(a->op)) return nullptr;
        const Op op = a->op == Op::min ? Op::minnum : a->op == Op::max ? Op::maxnum : a->op;
        return operation(op, children, sort_, Rounding::nearest);
      }
      case Kind::select:
        return select(children[0], children[1], children[2]);
      case Kind::from_index:
        return from_index(children[0], sort_);
      case Kind::cast:
        if (is_float(a->format) && a->format != format_)
          return cast(cast(children[0], Sort::floating(a->format), a->format), sort_, format_);
        return cast(children[0], sort_, format_);
      default:
        return nullptr;
    }
  }

  Format format_;
  Sort sort_;
  std::unordered_map<Term, Term> memo_;
};

// What a real term can be: one of a few values, or an integer between bounds.
class Exactness {
 public:
  Exactness(Format format, const SymbolRanges& ranges) : format_(format), ranges_(ranges) {}

  struct Known {
    bool exact = false;            // no operation in it rounds
    std::vector<Rational> values;  // all that it can be; none: not known
    Bounds integers;               // it is an integer between these; none: not known to be
  };

  Known of(Term a) {
    if (const auto found = memo_.find(a); found != memo_.end()) return found->second;
    Known out = find(a);
    memo_.emplace(a, out);
    return out;
  }

  // Whether the parts of the term that are no reals hold reals that round.
  bool holds(Term a) {
    bool exact = true;
    for_each_node(a, [&](Term node) { exact = exact && (!is_real(node) || of(node).exact); });
    return exact;
  }

 private:
  static constexpr std::size_t most_values = 16;

  bool fits(const Rational& value, Format format) const {
    const auto stored = rounded(value, format);
    return stored && *stored == value;
  }

  Known of_values(std::vector<Rational> values, Format format) const {
    Known out;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    out.exact = std::all_of(values.begin(), values.end(), [&](const Rational& v) { return fits(v, format); });
    if (values.size() > most_values) return out;
    const bool whole =
        std::all_of(values.begin(), values.end(), [](const Rational& v) { return v.get_den() == 1; });
    if (whole && !values.empty()) out.integers = {values.front().get_num(), values.back().get_num()};
    out.values = std::move(values);
    return out;
  }

  Known of_integers(const Bounds& bounds) const {
    Known out;
    if (!bounds.low || !bounds.high) return out;
    const Integer limit = power_of_two(significand_bits(format_));
    out.exact = *bounds.low >= -limit && *bounds.high <= limit;
    out.integers = bounds;
    return out;
  }

  Known find(Term a) {
    switch (a->kind) {
      case Kind::constant:
        return of_values({a->value}, format_);
      case Kind::select: {
        Known left = of(a->children[1]), right = of(a->children[2]);
        if (!left.exact || !right.exact) return {};
        if (!left.values.empty() && !right.values.empty()) {
          left.values.insert(left.values.end(), right.values.begin(), right.values.end());
          return of_values(std::move(left.values), format_);
        }
        if (!left.integers.low || !right.integers.low) return {true, {}, {}};
        return of_integers({std::min(*left.integers.low, *right.integers.low),
                            std::max(*left.integers.high, *right.integers.high)});
      }
      case Kind::from_index:
        if (const Integer* value = as_integer(a->children[0])) return of_values({Rational(*value)}, format_);
        return of_integers(bounds(a->children[0], ranges_));
      case Kind::cast: {
        const Term from = a->children[0];
        if (from->sort == Sort::boolean()) return of_values({0, 1}, format_);
        if (from->kind == Kind::from_index) return of_integers(bounds(from->children[0], ranges_));
        if (!is_real(from) || !is_float(a->format)) return {};
        const Known known = of(from);
        if (!known.exact || known.values.empty()) return {};
        return of_values(known.values, a->format);
      }
      case Kind::operation:
        return operate(a);
      default:
        return {};
    }
  }

  // Only of operations that rounds() or is_exact() names, which rationals have but for roots; a division by 0
  // has no value that a float holds.
  static std::optional<Rational> apply_to(Op op, const Rational& x, const Rational& y) {
    if ((!rounds(op) && !is_exact(op)) || (op == Op::div && y == 0)) return std::nullopt;
    const evaluator::Exact operands[]{{x}, {y}};
    try {
      return evaluator::exact_operation(op, operands).value;
    } catch (const Refusal&) {
      return std::nullopt;  // an irrational root
    }
  }

  Known operate(Term a) {
    if (a->children.empty() || a->children.size() > 2) return {};
    const Known x = of(a->children[0]), y = of(a->children.back());
    if (!x.exact || !y.exact) return {};
    if (!x.values.empty() && !y.values.empty()) {
      std::vector<Rational> values;
      for (const Rational& left : x.values)
        for (const Rational& right : a->children.size() == 2 ? y.values : std::vector<Rational>{0}) {
          const auto value = apply_to(a->op, left, right);
          if (!value) return {};
          values.push_back(*value);
        }
      return of_values(std::move(values), format_);
    }
    if (x.integers.low && y.integers.low && (a->op == Op::add || a->op == Op::sub || a->op == Op::mul)) {
      std::vector<Integer> ends;
      for (const Integer& left : {*x.integers.low, *x.integers.high})
        for (const Integer& right : {*y.integers.low, *y.integers.high})
          ends.push_back(apply_to(a->op, Rational(left), Rational(right))->get_num());
      const auto [low, high] = std::minmax_element(ends.begin(), ends.end());
      return of_integers({*low, *high});
    }
    return {is_exact(a->op), {}, {}};
  }

  Format format_;
  const SymbolRanges& ranges_;
  std::unordered_map<Term, Known> memo_;
};

}  // namespace

bool is_exact_in(Term body, Format format, const SymbolRanges& ranges) {
  return Exactness(format, ranges).holds(body);
}

bool has_reals(Term term) {
  bool found = false;
  for_each_node(term, [&](Term node) { found = found || is_real(node); });
  return found;
}

std::optional<Rational> rounded(const Rational& value, Format format) {
  const double nearest = evaluator::nearest(format, value);
  if (!std::isfinite(nearest)) return std::nullopt;
  return Rational(nearest);
}

Term rounded(Term term, Format format) {
  return Rounder(format).of(term);
}

std::vector<Format> formats_of_reals(Term term) {
  std::vector<Format> out{Format::f32, Format::f64};
  for_each_node(term, [&](Term node) {
    if (node->kind == Kind::cast && is_float(node->format) &&
        std::find(out.begin(), out.end(), node->format) == out.end())
      out.push_back(node->format);
  });
  return out;
}

std::optional<int> roundings(Term body) {
  int count = 0;
  bool known = true;
  for_each_node(body, [&](Term node) {
    if (!is_real(node)) return;
    if (node->kind == Kind::fold) known = false;
    if (node->kind != Kind::operation) return;
    if (rounds(node->op))
      ++count;
    else if (!is_exact(node->op))
      known = false;
  });
  if (!known) return std::nullopt;
  return count;
}

}  // namespace hallmark::operators
