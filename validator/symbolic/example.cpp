#include "validator/symbolic/example.h"

#include <algorithm>

#include "validator/symbolic/context.h"
#include "validator/symbolic/words.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Term;

namespace {

constexpr int most_tries = 12, most_repairs = 60;

// Terms under given values of what is not made of other terms.
class Valuation {
 public:
  std::map<Term, Integer> leaves;

  // Nothing for a term without a value.
  std::optional<Integer> of(Term term) {
    if (const auto leaf = leaves.find(term); leaf != leaves.end()) return leaf->second;
    if (const auto known = known_.find(term); known != known_.end()) return known->second;
    const std::optional<Integer> out = compute(term);
    known_.emplace(term, out);
    return out;
  }
  void changed() { known_.clear(); }

 private:
  std::optional<Integer> compute(Term term) {
    const auto all_of = [&](std::vector<Integer>& out) {
      for (Term child : term->children) {
        const auto value = of(child);
        if (!value) return false;
        out.push_back(*value);
      }
      return true;
    };
    std::vector<Integer> v;
    switch (term->kind) {
      case Kind::integer:
        return Integer(term->value.get_num());
      case Kind::truth:
        return Integer(term->number);
      case Kind::polynomial: {
        if (!all_of(v)) return std::nullopt;
        Integer sum = 0;
        for (std::size_t i = 0; i < v.size(); ++i) sum += term->coefficients[i] * v[i];
        return sum;
      }
      case Kind::product: {
        if (!all_of(v)) return std::nullopt;
        Integer product = 1;
        for (const Integer& factor : v) product *= factor;
        return product;
      }
      case Kind::floor_div:
        if (!all_of(v)) return std::nullopt;
        return v[1] == 0 ? Integer(0) : floor_div(v[0], v[1]);
      case Kind::index_min:
        if (!all_of(v)) return std::nullopt;
        return *std::min_element(v.begin(), v.end());
      case Kind::index_max:
        if (!all_of(v)) return std::nullopt;
        return *std::max_element(v.begin(), v.end());
      case Kind::index_select: {
        const auto condition = of(term->children[0]);
        return condition ? of(term->children[*condition != 0 ? 1 : 2]) : std::nullopt;
      }
      case Kind::to_index: {
        // A word of a number that is known is no free choice.
        const Term inside = number_in_word(term);
        const auto number = inside != nullptr ? of(inside) : std::nullopt;
        return number ? std::optional(in_word(*number, term->children[0]->sort.format)) : std::nullopt;
      }
      case Kind::at_most_zero:
        if (!all_of(v)) return std::nullopt;
        return Integer(v[0] <= 0 ? 1 : 0);
      case Kind::is_zero:
        if (!all_of(v)) return std::nullopt;
        return Integer(v[0] == 0 ? 1 : 0);
      case Kind::negation:
        if (!all_of(v)) return std::nullopt;
        return Integer(v[0] == 0 ? 1 : 0);
      case Kind::conjunction:
      case Kind::disjunction: {
        if (!all_of(v)) return std::nullopt;
        const bool all = term->kind == Kind::conjunction;
        const auto truth = [](const Integer& x) { return x != 0; };
        return Integer(
            (all ? std::all_of(v.begin(), v.end(), truth) : std::any_of(v.begin(), v.end(), truth)) ? 1 : 0);
      }
      default:
        return std::nullopt;
    }
  }

  std::map<Term, std::optional<Integer>> known_;
};

bool is_compound(Term term) {
  switch (term->kind) {
    case Kind::integer:
    case Kind::polynomial:
    case Kind::floor_div:
    case Kind::product:
    case Kind::index_min:
    case Kind::index_max:
    case Kind::index_select:
      return true;
    case Kind::to_index:
      return number_in_word(term) != nullptr;
    default:
      return false;
  }
}

class Trial {
 public:
  Trial(const std::vector<Term>& facts, const std::vector<Term>& terms) : facts_(facts) {
    const Scope scope = Context::make(facts);
    for (Term term : terms) {
      if (is_compound(term)) continue;
      Interval range =
          term->sort == calculus::Sort::boolean() ? Interval{Integer(0), Integer(1)} : scope->range(term);
      if (!range.low) range.low = range.high ? Integer(*range.high - 1) : Integer(0);
      if (!range.high) range.high = *range.low + 8;
      leaves_.push_back({term, range});
    }
  }

  bool find() {
    for (int round = 0; round < most_tries; ++round) {
      start(round);
      for (int repairs = 0; repairs <= most_repairs; ++repairs) {
        const Term open = first_open();
        if (open == nullptr) return true;
        if (!repair(open)) break;
      }
    }
    return false;
  }

  Valuation& values() { return values_; }

 private:
  // Both ends and the middle of all ranges first, then a mixture that differs from try to try.
  void start(int round) {
    for (const auto& [term, range] : leaves_) {
      const Integer width = *range.high - *range.low;
      Integer offset = 0;
      if (round == 1) {
        offset = floor_div(width, Integer(2));
      } else if (round == 2) {
        offset = width;
      } else if (round > 2) {
        mixed_ = mixed_ * 6364136223846793005u + 1442695040888963407u;
        offset = floor_div(Integer(width * static_cast<unsigned long>(mixed_ >> 40u)), Integer(1L << 24));
      }
      values_.leaves[term] = *range.low + offset;
    }
    values_.changed();
  }

  Term first_open() {
    for (Term fact : facts_) {
      const auto value = values_.of(fact);
      if (!value || *value == 0) return fact;
    }
    return nullptr;
  }

  std::size_t open_facts() {
    std::size_t out = 0;
    for (Term fact : facts_) {
      const auto value = values_.of(fact);
      out += !value || *value == 0 ? 1 : 0;
    }
    return out;
  }

  // Changes one unknown so that more facts hold than before: to where the fact turns, or near it.
  bool repair(Term fact) {
    const std::size_t before = open_facts();
    for (const auto& [term, range] : leaves_) {
      const Integer old = values_.leaves[term];
      for (const Integer& candidate : candidates(fact, term, range, old)) {
        if (candidate == old || candidate < *range.low || candidate > *range.high) continue;
        values_.leaves[term] = candidate;
        values_.changed();
        if (open_facts() < before) return true;
      }
      values_.leaves[term] = old;
      values_.changed();
    }
    return false;
  }

  std::vector<Integer> candidates(Term fact, Term leaf, const Interval& range, const Integer& old) {
    std::vector<Integer> out;
    bool met = false;
    calculus::for_each_node(fact, [&](Term node) { met = met || node == leaf; });
    if (!met) return out;
    calculus::for_each_node(fact, [&](Term node) {
      if (node->kind != Kind::at_most_zero && node->kind != Kind::is_zero) return;
      // As a line through two points: exact where the term is affine in this unknown.
      const auto here = values_.of(node->children[0]);
      values_.leaves[leaf] = old + 1;
      values_.changed();
      const auto next = values_.of(node->children[0]);
      values_.leaves[leaf] = old;
      values_.changed();
      if (!here || !next || *here == *next) return;
      const Integer slope = *next - *here;
      const Integer turn =
          old + (slope > 0 ? floor_div(Integer(-*here), slope) : floor_div(*here, Integer(-slope)));
      for (const int step : {0, 1, -1}) out.push_back(turn + step);
    });
    out.push_back(*range.low);
    out.push_back(*range.high);
    return out;
  }

  const std::vector<Term>& facts_;
  std::vector<std::pair<Term, Interval>> leaves_;
  Valuation values_;
  std::uint64_t mixed_ = 1;
};

}  // namespace

std::optional<std::vector<Integer>> find_example(const std::vector<Term>& facts,
                                                 const std::vector<Term>& terms) {
  Trial trial(facts, terms);
  if (!trial.find()) return std::nullopt;
  std::vector<Integer> out;
  for (Term term : terms) {
    const auto value = trial.values().of(term);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

}  // namespace hallmark::validator
