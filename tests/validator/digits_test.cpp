// Claims over digits and over sizes above their least values: no counterexample is lost.
#include "validator/symbolic/digits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "validator/symbolic/exact_quotient.h"
#include "validator/symbolic/executor.h"
#include "validator/symbolic/shifted_sizes.h"

namespace hallmark::validator {
namespace {

using calculus::Term;

const Term W = calculus::symbol("W"), H = calculus::symbol("H");
const Term t = thread_symbol(0), v = calculus::variable("v");

Term number(long value) {
  return calculus::integer(value);
}

bool is_true(Term term, const calculus::Substitution& at) {
  return calculus::substitute(term, at) == calculus::truth(true);
}

Term random_term(std::mt19937& random, const std::vector<Term>& leaves) {
  Term out = number(static_cast<long>(random() % 5) - 2);
  const int parts = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < parts; ++i) {
    Term part = leaves[random() % leaves.size()];
    if (random() % 3 == 0) part = calculus::multiply(part, random() % 2 == 0 ? W : H);
    out = calculus::add(out, calculus::scale(static_cast<long>(random() % 5) - 2, part));
  }
  return out;
}

Term random_condition(std::mt19937& random, const std::vector<Term>& leaves) {
  const Term p = random_term(random, leaves);
  switch (random() % 3) {
    case 0:
      return calculus::equal(p, number(0));
    case 1:
      return calculus::negation(calculus::at_most(p, number(0)));
    default:
      return calculus::at_most(p, number(0));
  }
}

// Whether some values of the digits satisfy the facts and not the goal.
bool fails_somewhere(const DigitClaim& claim, const calculus::Substitution& at) {
  calculus::Substitution all = at;
  std::vector<Term> digits;
  std::vector<Term> terms = claim.facts;
  terms.push_back(claim.goal);
  for (Term& term : terms) {
    term = calculus::substitute(term, at);
    calculus::for_each_node(term, [&](Term node) {
      if (node->kind == calculus::Kind::variable &&
          std::find(digits.begin(), digits.end(), node) == digits.end())
        digits.push_back(node);
    });
  }
  const std::function<bool(std::size_t)> from = [&](std::size_t n) {
    if (n == digits.size()) {
      for (std::size_t i = 0; i + 1 < terms.size(); ++i)
        if (!is_true(terms[i], all)) return false;
      return !is_true(terms.back(), all);
    }
    for (long value = -6; value <= 11; ++value) {
      all[digits[n]] = number(value);
      const bool possible = std::none_of(terms.begin(), terms.end() - 1, [&](Term fact) {
        return calculus::substitute(fact, all) == calculus::truth(false);
      });
      if (possible && from(n + 1)) return true;
    }
    all.erase(digits[n]);
    return false;
  };
  return from(0);
}

TEST(Digits, NoCounterexampleIsLost) {
  std::mt19937 random(5);
  int checked = 0, three = 0;
  for (int n = 0; n < 300; ++n) {
    const Term index = calculus::add({t, calculus::scale(static_cast<long>(random() % 3), v),
                                      number(static_cast<long>(random() % 3) - 1)});
    const Term second = random() % 2 == 0 ? calculus::multiply(W, H) : calculus::multiply(W, number(2));
    const Term q = calculus::floor_div(index, W), r = calculus::floor_div(index, second);
    const std::vector<Term> leaves{t, v, q, r, calculus::floor_div(q, H), index, W, H};
    // Sizes may be nothing, or less: then nothing is evident of them.
    const long least = static_cast<long>(random() % 4) - 1, most = 3;
    const bool evident = least >= 1;
    std::vector<Term> facts{calculus::at_most(number(-3), t), calculus::at_most(t, number(5)),
                            calculus::in_range(v, number(2)), calculus::at_most(number(least), W),
                            calculus::at_most(number(least), H)};
    facts.push_back(random_condition(random, leaves));
    if (random() % 2 == 0) facts.push_back(calculus::less(index, calculus::multiply(H, second)));
    const Term goal = random_condition(random, leaves);
    const Term zero_up = calculus::at_most(number(0), index);
    const auto claim = in_digits(facts, goal, [&](Term premise) { return evident && premise != zero_up; });
    if (!claim) continue;
    int left = 4;
    for (long w = least; w <= most && left > 0; ++w)
      for (long h = least; h <= most && left > 0; ++h)
        for (long i = -3; i <= 5 && left > 0; ++i)
          for (long j = 0; j < 2 && left > 0; ++j) {
            const calculus::Substitution at{{W, number(w)}, {H, number(h)}, {t, number(i)}, {v, number(j)}};
            bool here = !is_true(goal, at);
            for (Term fact : facts) here = here && is_true(fact, at);
            for (Term premise : claim->premises) here = here && is_true(premise, at);
            if (!here) continue;
            const calculus::Substitution sizes{{W, number(w)}, {H, number(h)}, {v, number(j)}};
            ASSERT_TRUE(fails_somewhere(*claim, sizes)) << n << ": " << w << ' ' << h << ' ' << i << ' ' << j;
            ++checked;
            --left;
          }
    three += claim->premises.size() >= 2 ? 1 : 0;
  }
  EXPECT_GT(checked, 300);
  EXPECT_GT(three, 80);
}

TEST(Digits, OnlyUnknownsGiveWay) {
  const auto over_digits = [](Term goal) {
    return in_digits({}, goal, [](Term) { return true; }).has_value();
  };
  EXPECT_TRUE(over_digits(calculus::at_most(calculus::floor_div(t, W), H)));
  EXPECT_FALSE(over_digits(calculus::at_most(calculus::floor_div(H, W), H)));
  EXPECT_FALSE(over_digits(calculus::at_most(calculus::floor_div(t, number(3)), H)));
  EXPECT_FALSE(over_digits(calculus::at_most(calculus::floor_div(calculus::scale(2, t), W), H)));
  EXPECT_FALSE(over_digits(calculus::at_most(calculus::floor_div(t, calculus::multiply(t, W)), H)));
  // What a fold binds is nothing outside it.
  const Term k = calculus::variable("k");
  const Term element = calculus::from_index(calculus::floor_div(calculus::add(t, k), W),
                                            calculus::Sort::integer(calculus::Format::i32));
  const Term total = calculus::to_index(calculus::sum(k, H, element));
  EXPECT_FALSE(over_digits(calculus::at_most(total, H)));
}

TEST(ExactQuotient, FindsTheFactorAndNothingElse) {
  std::mt19937 random(3);
  const std::vector<Term> leaves{W, H, t, v};
  int found = 0;
  for (int n = 0; n < 500; ++n) {
    const Term a = random_term(random, leaves), q = random_term(random, leaves);
    const Integer* constant = calculus::as_integer(a);
    if (constant != nullptr && abs(*constant) <= 1) continue;
    const Term product = calculus::multiply(a, q);
    ASSERT_EQ(exact_quotient(product, a), q);
    ASSERT_EQ(exact_quotient(calculus::add(product, number(1)), a), nullptr);
    ++found;
  }
  EXPECT_GT(found, 300);
  EXPECT_EQ(exact_quotient(W, number(0)), nullptr);
  EXPECT_EQ(exact_quotient(number(0), W), number(0));
}

TEST(ShiftedSizes, TheClaimIsTheSame) {
  std::mt19937 random(9);
  int checked = 0;
  for (int n = 0; n < 300; ++n) {
    const long least = static_cast<long>(random() % 3) + 1;
    const std::vector<Term> leaves{W, H, v};
    const Scope scope = Context::make({calculus::at_most(number(2), W), calculus::at_most(number(least), H),
                                       random_condition(random, leaves)});
    const Term difference = calculus::subtract(W, number(1 + static_cast<long>(random() % 2)));
    const Term goal = calculus::at_most(
        calculus::add(random_term(random, leaves), calculus::multiply(difference, random() % 2 == 0 ? H : v)),
        number(0));
    const auto shifted = with_shifted_sizes(scope, goal);
    if (!shifted) continue;
    EXPECT_FALSE(with_shifted_sizes(Context::make({calculus::at_most(number(1), W)}), goal));
    for (long w = 0; w <= 4; ++w)
      for (long h = 0; h <= 4; ++h)
        for (long i = -2; i <= 2; ++i) {
          const calculus::Substitution given{{W, number(w)}, {H, number(h)}, {v, number(i)}};
          const Interval wide = scope->range(W), high = scope->range(H);
          calculus::Substitution moved = given;
          moved[calculus::variable("over.W")] = number(w - static_cast<long>(wide.low->get_si()));
          if (high.low)
            moved[calculus::variable("over.H")] = number(h - static_cast<long>(high.low->get_si()));
          ASSERT_EQ(is_true(goal, given), is_true(shifted->goal, moved));
          for (std::size_t f = 0; f < scope->facts().size(); ++f)
            ASSERT_EQ(is_true(scope->facts()[f], given), is_true(shifted->facts[f], moved));
          ++checked;
        }
  }
  EXPECT_GT(checked, 5000);
}

}  // namespace
}  // namespace hallmark::validator
