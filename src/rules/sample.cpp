#include "rules/sample.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace hallmark::rules {
namespace {

using namespace calculus;

constexpr int most_samples = 160;

// The claim as a list of nodes, children first, over machine integers.
class Claim {
 public:
  Claim(const Facts& hypotheses, Term goal) {
    for (Term h : hypotheses) hypotheses_.push_back(place_of(h));
    goal_ = place_of(goal);
    values_.resize(nodes_.size());
  }

  bool understood() const { return understood_; }

  bool refuted_at(int sample) { return hypotheses_hold(sample) && truth_at(goal_) == false; }
  bool satisfied_at(int sample) { return hypotheses_hold(sample) && truth_at(goal_) == true; }

  // The values of the last sample.
  std::vector<Term> equations() const {
    std::vector<Term> out;
    for (std::size_t i = 0; i < known_; ++i) {
      const Kind kind = nodes_[i].node->kind;
      if (kind == Kind::symbol || kind == Kind::axis || kind == Kind::variable)
        out.push_back(equal(nodes_[i].node, integer(static_cast<long>(values_[i]))));
    }
    return out;
  }

 private:
  struct Step {
    Term node;
    std::vector<std::size_t> children;
    std::vector<std::int64_t> coefficients;
    std::int64_t value = 0;
    std::uint64_t name = 0;
  };

  bool hypotheses_hold(int sample) {
    sample_ = sample;
    state_ = 0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(sample + 1);
    known_ = 0;
    return std::all_of(hypotheses_.begin(), hypotheses_.end(),
                       [&](std::size_t h) { return truth_at(h) == true; });
  }

  std::size_t place_of(Term a) {
    if (const auto found = places_.find(a); found != places_.end()) return found->second;
    Step step{a, {}, {}};
    switch (a->kind) {
      case Kind::integer:
        step.value = small(Integer(a->value.get_num()));
        break;
      case Kind::polynomial:
        for (const Integer& c : a->coefficients) step.coefficients.push_back(small(c));
        break;
      case Kind::load:
        for (char c : a->name) step.name = step.name * 131 + static_cast<unsigned char>(c);
        break;
      case Kind::to_index:
        understood_ = understood_ && a->children[0]->kind == Kind::load;
        break;
      case Kind::variable:
        understood_ = understood_ && a->sort == Sort::index();
        break;
      case Kind::symbol:
      case Kind::axis:
      case Kind::product:
      case Kind::floor_div:
      case Kind::index_min:
      case Kind::index_max:
      case Kind::index_select:
      case Kind::truth:
      case Kind::at_most_zero:
      case Kind::is_zero:
      case Kind::conjunction:
      case Kind::disjunction:
      case Kind::negation:
        break;
      default:
        understood_ = false;
    }
    if (!understood_) return 0;
    for (Term child : a->children) step.children.push_back(place_of(child));
    nodes_.push_back(std::move(step));
    places_[a] = nodes_.size() - 1;
    return nodes_.size() - 1;
  }

  std::int64_t small(const Integer& value) {
    if (!value.fits_slong_p()) understood_ = false;
    return understood_ ? value.get_si() : 0;
  }

  // Nodes are evaluated in their order, as far as they are asked for; nothing past 64 bits.
  std::optional<bool> truth_at(std::size_t at) {
    for (; known_ <= at; ++known_) {
      const std::optional<std::int64_t> value = evaluate(nodes_[known_]);
      if (!value) return std::nullopt;
      values_[known_] = *value;
    }
    return values_[at] != 0;
  }

  std::int64_t draw(std::int64_t low, std::int64_t high) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(high - low + 1));
  }

  std::optional<std::int64_t> evaluate(const Step& step) {
    static constexpr std::int64_t reach[] = {1, 2, 3, 4, 7};
    const auto child = [&](std::size_t i) { return values_[step.children[i]]; };
    const std::size_t n = step.children.size();
    std::int64_t out = 0, term = 0;
    switch (step.node->kind) {
      case Kind::integer:
        return step.value;
      case Kind::symbol:
        return draw(sample_ % 4 == 3 ? -2 : 0, 2 * reach[sample_ % 5]);
      case Kind::axis:
      case Kind::variable:
        return draw(0, reach[sample_ % 5]);
      case Kind::load: {
        std::uint64_t h = step.name + static_cast<std::uint64_t>(sample_);
        for (std::size_t i = 0; i < n; ++i) h = h * 1000003 + static_cast<std::uint64_t>(child(i));
        h ^= h >> 29;
        h *= 0xbf58476d1ce4e5b9ULL;
        return static_cast<std::int64_t>((h >> 40) % 7) - 2;
      }
      case Kind::to_index:
        return child(0);
      case Kind::product:
        out = 1;
        for (std::size_t i = 0; i < n; ++i)
          if (__builtin_mul_overflow(out, child(i), &out)) return std::nullopt;
        return out;
      case Kind::polynomial:
        for (std::size_t i = 0; i < n; ++i)
          if (__builtin_mul_overflow(step.coefficients[i], child(i), &term) ||
              __builtin_add_overflow(out, term, &out))
            return std::nullopt;
        return out;
      case Kind::floor_div: {
        const std::int64_t p = child(0), q = child(1);
        if (q == 0) return 0;
        if (q == -1) return p == INT64_MIN ? std::nullopt : std::optional<std::int64_t>(-p);
        return p / q - ((p % q != 0 && (p < 0) != (q < 0)) ? 1 : 0);
      }
      case Kind::index_min:
      case Kind::index_max:
        out = child(0);
        for (std::size_t i = 1; i < n; ++i)
          out = step.node->kind == Kind::index_min ? std::min(out, child(i)) : std::max(out, child(i));
        return out;
      case Kind::index_select:
        return child(0) != 0 ? child(1) : child(2);
      case Kind::truth:
        return step.node->number;
      case Kind::at_most_zero:
        return child(0) <= 0 ? 1 : 0;
      case Kind::is_zero:
        return child(0) == 0 ? 1 : 0;
      case Kind::conjunction:
        for (std::size_t i = 0; i < n; ++i)
          if (child(i) == 0) return 0;
        return 1;
      case Kind::disjunction:
        for (std::size_t i = 0; i < n; ++i)
          if (child(i) != 0) return 1;
        return 0;
      case Kind::negation:
        return child(0) == 0 ? 1 : 0;
      default:
        return std::nullopt;
    }
  }

  std::vector<Step> nodes_;
  std::unordered_map<Term, std::size_t> places_;
  std::vector<std::size_t> hypotheses_;
  std::size_t goal_ = 0, known_ = 0;
  std::vector<std::int64_t> values_;
  std::uint64_t state_ = 0;
  int sample_ = 0;
  bool understood_ = true;
};

}  // namespace

bool refuted_by_sample(const Facts& hypotheses, Term goal) {
  Claim claim(hypotheses, goal);
  if (!claim.understood()) return false;
  for (int sample = 0; sample < most_samples; ++sample)
    if (claim.refuted_at(sample)) return true;
  return false;
}

std::vector<Term> satisfying_sample(const Facts& hypotheses, Term goal) {
  Claim claim(hypotheses, goal);
  if (!claim.understood()) return {};
  for (int sample = 0; sample < 8 * most_samples; ++sample)
    if (claim.satisfied_at(sample)) return claim.equations();
  return {};
}

}  // namespace hallmark::rules
