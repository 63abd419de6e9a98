#include "validator/propose/eliminate.h"

#include <algorithm>
#include <set>

#include "validator/symbolic/executor.h"
#include "validator/symbolic/invert.h"

namespace hallmark::validator {

using calculus::Kind;
using calculus::Monomial;
using calculus::Term;

bool is_local(Term term) {
  bool local = term->open;
  calculus::for_each_node(term, [&](Term node) {
    for (int d = 0; d < 3; ++d) local = local || node == thread_symbol(d) || node == block_symbol(d);
    local = local || node->kind == Kind::load;
  });
  return local;
}

namespace {

constexpr std::size_t deepest = 14, most_visits = 3000, most_bounds = 12;

// The factors of a that b lacks, as a product; nothing when b does not divide a.
std::optional<Term> quotient(Term a, Term b) {
  std::vector<Term> left = a == nullptr ? std::vector<Term>{} : factors_of(a);
  for (Term factor : b == nullptr ? std::vector<Term>{} : factors_of(b)) {
    const auto found = std::find(left.begin(), left.end(), factor);
    if (found == left.end()) return std::nullopt;
    left.erase(found);
  }
  Term out = calculus::integer(1);
  for (Term factor : left) out = calculus::multiply(out, factor);
  return out;
}

class Elimination {
 public:
  Elimination(const Scope& scope, bool numbers) : scope_(scope), numbers_(numbers) {
    // What was learnt last says most: guards stand behind the limits of the launch.
    const std::vector<Term>& facts = scope->facts();
    for (std::size_t i = facts.size(); i-- > 0;) {
      if (facts[i]->kind == Kind::at_most_zero) facts_.push_back(facts[i]->children[0]);
      if (facts[i]->kind == Kind::is_zero) {
        facts_.push_back(facts[i]->children[0]);
        facts_.push_back(calculus::scale(-1, facts[i]->children[0]));
      }
    }
  }

  std::vector<Term> run(Term term) {
    search(term, 0);
    std::stable_sort(bounds_.begin(), bounds_.end(), [](Term a, Term b) { return weight(a) < weight(b); });
    return bounds_;
  }

 private:
  // Sizes of the launch say less than sizes of the problem.
  static std::size_t weight(Term bound) {
    std::size_t out = 0;
    calculus::for_each_node(bound, [&](Term node) {
      const bool of_launch = node->kind == Kind::symbol && node->name.find("Dim.") != std::string::npos;
      out += of_launch ? 20 : 1;
    });
    // The greatest value of a format is no size of anything.
    const Integer* number = calculus::as_integer(bound);
    return number != nullptr && *number > power_of_two(20) ? out + 1000 : out;
  }

  bool is_nonnegative(Term product) const {
    for (Term factor : product == nullptr ? std::vector<Term>{} : factors_of(product)) {
      const Interval range = scope_->range(factor);
      if (!range.low || *range.low < 0) return false;
    }
    return true;
  }

  // Facts that an atom brings along: p <= 0 each.
  std::vector<Term> facts_of(Term atom) const {
    std::vector<Term> out;
    if (atom->kind == Kind::floor_div) {
      const Interval divisor = scope_->range(atom->children[1]);
      if (!divisor.low || *divisor.low < 1) return out;
      const Term whole = calculus::multiply(atom->children[1], atom);
      out.push_back(calculus::subtract(whole, atom->children[0]));
      out.push_back(calculus::add({atom->children[0], calculus::scale(-1, whole),
                                   calculus::scale(-1, atom->children[1]), calculus::integer(1)}));
    } else if (atom->kind == Kind::index_min) {
      for (Term part : atom->children) out.push_back(calculus::subtract(atom, part));
    } else if (atom->kind == Kind::index_max) {
      for (Term part : atom->children) out.push_back(calculus::subtract(part, atom));
    }
    // Greatest values are limits of formats and devices more often than sizes: the last resort.
    const Interval range = scope_->range(atom);
    if (range.low) out.push_back(calculus::subtract(calculus::integer(*range.low), atom));
    if (range.high && (numbers_ || *range.high < 4096))
      out.push_back(calculus::subtract(atom, calculus::integer(*range.high)));
    return out;
  }

  void search(Term term, std::size_t depth) {
    if (++visits_ > most_visits || depth > deepest || bounds_.size() >= most_bounds) return;
    if (!seen_.insert(term).second) return;
    const Monomial* worst = nullptr;
    const std::vector<Monomial> parts = calculus::monomials(term);
    std::size_t degree = 0;
    for (const Monomial& m : parts) {
      if (m.product == nullptr || !is_local(m.product)) continue;
      const std::size_t mine = factors_of(m.product).size();
      if (worst == nullptr || mine > degree) {
        worst = &m;
        degree = mine;
      }
    }
    if (worst == nullptr) {
      if (std::find(bounds_.begin(), bounds_.end(), term) == bounds_.end()) bounds_.push_back(term);
      return;
    }
    for (Term factor : factors_of(worst->product)) {
      if (!is_local(factor)) continue;
      // A choice or a maximum is at most the greater of its arms.
      if ((factor->kind == Kind::index_select || factor->kind == Kind::index_max) &&
          worst->product == factor && worst->coefficient > 0)
        return branch(term, *worst, depth);
      for (Term fact : facts_of(factor)) apply(term, *worst, fact, depth);
    }
    for (Term fact : facts_) apply(term, *worst, fact, depth);
  }

  void branch(Term term, const Monomial& m, std::size_t depth) {
    const Term rest = calculus::subtract(term, calculus::scale(m.coefficient, m.product));
    const std::size_t first = m.product->kind == Kind::index_select ? 1 : 0;
    std::optional<Term> greatest;
    for (std::size_t arm = first; arm < m.product->children.size(); ++arm) {
      Scope scope = scope_;
      if (first == 1)
        scope = Context::extend(
            scope_, arm == 1 ? m.product->children[0] : calculus::negation(m.product->children[0]));
      if (scope->contradictory()) continue;
      Elimination part(scope, numbers_);
      part.visits_ = visits_ + most_visits / 8;
      const std::vector<Term> found =
          depth > 4 ? std::vector<Term>{}
                    : part.run(calculus::add(rest, calculus::scale(m.coefficient, m.product->children[arm])));
      if (found.empty()) return;
      greatest = greatest ? calculus::index_max(*greatest, found[0]) : found[0];
    }
    if (greatest && std::find(bounds_.begin(), bounds_.end(), *greatest) == bounds_.end())
      bounds_.push_back(*greatest);
  }

  // term <= term - k * q * fact for k, q >= 0; k and q such that the monomial goes away.
  void apply(Term term, const Monomial& m, Term fact, std::size_t depth) {
    for (const Monomial& part : calculus::monomials(fact)) {
      if (part.product == nullptr || !is_local(part.product)) continue;
      const auto q = quotient(m.product, part.product);
      if (!q || sgn(m.coefficient) != sgn(part.coefficient)) continue;
      if (floor_mod(m.coefficient, Integer(abs(part.coefficient))) != 0) continue;
      if (!is_nonnegative(*q)) continue;
      const Integer k = abs(m.coefficient) / abs(part.coefficient);
      search(calculus::subtract(term, calculus::scale(k, calculus::multiply(*q, fact))), depth + 1);
    }
  }

  Scope scope_;
  bool numbers_;
  std::vector<Term> facts_, bounds_;
  std::set<Term> seen_;
  std::size_t visits_ = 0;
};

}  // namespace

std::vector<Term> upper_bounds(Term term, const Scope& scope) {
  std::vector<Term> out = Elimination(scope, false).run(term);
  return out.empty() ? Elimination(scope, true).run(term) : out;
}

}  // namespace hallmark::validator
