#include "operators/partial.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"

namespace hallmark::operators {

using namespace calculus;

namespace {

constexpr std::int64_t maximum_unrolled = 64;
using Maybe = std::optional<Term>;

bool is_wide(Sort sort) {
  return sort.kind == Sort::Kind::integer && sort.format == Format::i64;
}

class Evaluator {
 public:
  Evaluator(const ElementLookup& element, const SymbolRanges& ranges) : element_(element), ranges_(ranges) {}

  bool may_wrap() const { return may_wrap_; }

  Maybe value(Term a) {
    if (const auto found = memo_.find(a); found != memo_.end()) return found->second;
    const Maybe result = find(a);
    memo_.emplace(a, result);
    return result;
  }

 private:
  Maybe find(Term a) {
    switch (a->kind) {
      case Kind::constant:
        if (a->sort.kind == Sort::Kind::integer) return integer(a->value.get_num());
        return std::nullopt;
      case Kind::truth:
        return integer(a->number);
      case Kind::from_index:
        if (is_wide(a->sort)) return index(a->children[0]);
        return std::nullopt;
      case Kind::cast:
        if (a->sort != Sort::boolean()) return cast_value(a);
        if (const auto condition = truth_of(a)) return integer(*condition ? 1 : 0);
        return std::nullopt;
      case Kind::load:
        return load_value(a);
      case Kind::select:
        if (const auto condition = truth_of(a->children[0])) return value(a->children[*condition ? 1 : 2]);
        return std::nullopt;
      case Kind::operation:
        return operate(a);
      case Kind::fold:
        return unroll(a);
      default:
        if (a->sort == Sort::boolean())
          if (const auto condition = truth_of(a)) return integer(*condition ? 1 : 0);
        return std::nullopt;
    }
  }

  Maybe cast_value(Term a) {
    const Sort from = a->children[0]->sort;
    const bool integral = from.kind == Sort::Kind::integer || from == Sort::boolean();
    if (!integral || a->sort.kind != Sort::Kind::integer || a->format != a->sort.format) return std::nullopt;
    const Maybe v = value(a->children[0]);
    if (!v || is_wide(a->sort)) return v;
    const Bounds b = bounds(*v, ranges_);
    const unsigned bits = storage_bits(a->format);
    const Integer high = is_signed(a->format) ? power_of_two(bits - 1) : power_of_two(bits);
    const Integer low = is_signed(a->format) ? Integer(-high) : Integer(0);
    if (b.low && b.high && *b.low >= low && *b.high < high) return v;
    return std::nullopt;
  }

  Maybe load_value(Term a) {
    if (a->sort.kind == Sort::Kind::real || a->sort.kind == Sort::Kind::floating) return std::nullopt;
    std::vector<std::int64_t> at;
    for (Term child : a->children) {
      const Maybe i = index(child);
      const Integer* number = i ? as_integer(*i) : nullptr;
      const auto small = number != nullptr ? to_i64(*number) : std::nullopt;
      if (!small) return std::nullopt;
      at.push_back(*small);
    }
    return element_(a->name, at);
  }

  static bool is_word(const Bounds& b) {
    return b.low && b.high && *b.low >= -power_of_two(63) && *b.high < power_of_two(63);
  }

  // Numbers of 2^31 and more beside extents: what is made of them wraps before tensors become too large.
  static bool has_large_numbers(Term a) {
    bool found = false;
    for_each_node(a, [&](Term node) {
      if (node->sort != Sort::index()) return;
      for (const Monomial& m : monomials(node)) found = found || abs(m.coefficient) >= power_of_two(31);
    });
    return found;
  }

  // The result of an operation of 64 bits, where it is the integers' own.
  Maybe unwrapped(Term result) {
    const Bounds all = bounds(result, ranges_);
    if (is_word(all)) return result;
    if ((all.low && all.high) || has_large_numbers(result)) return std::nullopt;
    may_wrap_ = true;
    return result;
  }

  Maybe operate(Term a) {
    if (!is_wide(a->sort)) return std::nullopt;
    std::vector<Term> x;
    for (Term child : a->children) {
      const Maybe v = value(child);
      if (!v) return std::nullopt;
      x.push_back(*v);
    }
    const auto is_natural = [&](Term t) {
      const Bounds b = bounds(t, ranges_);
      return b.low && *b.low >= 0;
    };
    switch (a->op) {
      case Op::neg:
        return unwrapped(scale(-1, x[0]));
      case Op::add:
        return unwrapped(add(x[0], x[1]));
      case Op::sub:
        return unwrapped(subtract(x[0], x[1]));
      case Op::mul:
        return unwrapped(multiply(x[0], x[1]));
      case Op::max:
        return index_max(x[0], x[1]);
      case Op::min:
        return index_min(x[0], x[1]);
      case Op::div:  // truncation and floor agree
        if (is_natural(x[0]) && is_natural(x[1])) return floor_div(x[0], x[1]);
        return std::nullopt;
      case Op::mod:
      case Op::rem:
        if (is_natural(x[0]) && is_natural(x[1])) return mod(x[0], x[1]);
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  Maybe unroll(Term a) {
    FoldParts parts = open(a);
    const Maybe extent = index(parts.extent);
    const Integer* number = extent ? as_integer(*extent) : nullptr;
    if (number == nullptr || *number > maximum_unrolled) return std::nullopt;
    std::vector<Term> state;
    for (Term init : parts.init) {
      const Maybe v = value(init);
      if (!v || !is_wide(init->sort)) return std::nullopt;
      state.push_back(from_index(*v, init->sort));
    }
    for (long k = 0; k < number->get_si(); ++k) {
      Substitution map;
      map[parts.variable] = integer(k);
      for (std::size_t j = 0; j < state.size(); ++j) map[parts.states[j]] = state[j];
      const auto taken = truth_of(substitute(parts.guard, map));
      if (!taken) return std::nullopt;
      if (!*taken) continue;
      std::vector<Term> next;
      for (std::size_t j = 0; j < state.size(); ++j) {
        const Maybe v = value(substitute(parts.step[j], map));
        if (!v) return std::nullopt;
        next.push_back(from_index(*v, state[j]->sort));
      }
      state = std::move(next);
    }
    return value(state[static_cast<std::size_t>(a->which)]);
  }

  // An index term without loads, its decided conditions replaced.
  Maybe index(Term a) {
    bool found_all = true;
    const Term rewritten = rewrite(a, [&](Term node) -> Term {
      if (node->kind == Kind::to_index) {
        if (const Maybe v = value(node->children[0])) return *v;
        found_all = false;
      } else if (node->kind == Kind::index_select) {
        if (const auto condition = truth_of(node->children[0])) return node->children[*condition ? 1 : 2];
        found_all = false;
      } else if (node->kind == Kind::axis || node->kind == Kind::variable) {
        found_all = false;
      }
      return node;
    });
    if (!found_all) return std::nullopt;
    return rewritten;
  }

  std::optional<bool> truth_of(Term a) {
    const auto decided = [](Decision d) -> std::optional<bool> {
      if (d == Decision::unknown) return std::nullopt;
      return d == Decision::yes;
    };
    switch (a->kind) {
      case Kind::truth:
        return a->number != 0;
      case Kind::at_most_zero:
      case Kind::is_zero: {
        const Maybe v = index(a->children[0]);
        if (!v) return std::nullopt;
        return decided(a->kind == Kind::is_zero ? is_equal(*v, integer(0), ranges_)
                                                : is_at_most(*v, integer(0), ranges_));
      }
      case Kind::negation: {
        const auto v = truth_of(a->children[0]);
        if (!v) return std::nullopt;
        return !*v;
      }
      case Kind::conjunction:
      case Kind::disjunction: {
        const bool neutral = a->kind == Kind::conjunction;
        bool all = true;
        for (Term child : a->children) {
          const auto v = truth_of(child);
          if (v && *v != neutral) return !neutral;
          all = all && v.has_value();
        }
        if (!all) return std::nullopt;
        return neutral;
      }
      case Kind::compare: {
        if (!is_wide(a->children[0]->sort)) return std::nullopt;
        const Maybe x = value(a->children[0]), y = value(a->children[1]);
        if (!x || !y) return std::nullopt;
        if (a->op == Op::eq) return decided(is_equal(*x, *y, ranges_));
        if (a->op == Op::le) return decided(is_at_most(*x, *y, ranges_));
        return decided(is_at_most(add(*x, integer(1)), *y, ranges_));
      }
      case Kind::load: {
        const Maybe v = load_value(a);
        const Integer* number = v ? as_integer(*v) : nullptr;
        if (number == nullptr) return std::nullopt;
        return *number != 0;
      }
      case Kind::cast: {
        const Maybe v = value(a->children[0]);
        if (!v) return std::nullopt;
        const auto zero = decided(is_equal(*v, integer(0), ranges_));
        if (!zero) return std::nullopt;
        return !*zero;
      }
      default:
        return std::nullopt;
    }
  }

  const ElementLookup& element_;
  const SymbolRanges& ranges_;
  std::unordered_map<Term, Maybe> memo_;
  bool may_wrap_ = false;
};

class StepCounter {
 public:
  explicit StepCounter(std::int64_t limit) : limit_(limit) {}

  std::optional<std::int64_t> count(Term a) {
    if (const auto found = memo_.find(a); found != memo_.end()) return found->second;
    std::optional<std::int64_t> total = 1;
    std::int64_t times = 1;
    std::size_t inside = 0;
    if (a->kind == Kind::fold) {
      const Integer* extent = as_integer(a->children[0]);
      if (extent == nullptr) total.reset();
      if (extent != nullptr) times = std::max<std::int64_t>(0, to_i64(*extent).value_or(limit_));
      inside = 2 + static_cast<std::size_t>(a->size);
    }
    for (std::size_t i = 0; i < a->children.size() && total; ++i) {
      const auto part = count(a->children[i]);
      if (!part) {
        total.reset();
        break;
      }
      const bool repeated = a->kind == Kind::fold && (i == 1 || i >= inside);
      const std::int64_t often = repeated ? times : 1;
      const bool too_many = *part != 0 && often > limit_ / *part;
      total = too_many ? limit_ : std::min(limit_, *total + *part * often);
    }
    memo_.emplace(a, total);
    return total;
  }

 private:
  std::int64_t limit_;
  std::unordered_map<Term, std::optional<std::int64_t>> memo_;
};

}  // namespace

std::optional<Term> known_value(Term a, const ElementLookup& element, const SymbolRanges& ranges,
                                bool& may_wrap) {
  Evaluator evaluator(element, ranges);
  const auto found = evaluator.value(a);
  may_wrap = may_wrap || (found && evaluator.may_wrap());
  return found;
}

std::optional<std::int64_t> steps(Term a, std::int64_t limit) {
  return StepCounter(limit).count(a);
}

}  // namespace hallmark::operators
