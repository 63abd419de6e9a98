// A rule with roots and exponentials is refuted only where enclosures of the two values show a difference:
// doubles show one of 1 + x - x, and of sqrt(2)^2 and 2.
#include "rules/enclosure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "rules/prove_rule.h"
#include "rules/rule_text.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

Rule rule(const std::string& body) {
  return parse_rules("hallmark 1\nrule test/rule\n" + body, "test").front().instances.back();
}

Obligation executed(const std::string& body, bool undefined_differs = true) {
  return execute_rule(rule(body), {12, 2, 12000, undefined_differs});
}

TEST(Enclosure, RoundingOfDoublesRefutesNothing) {
  for (const char* body : {"  size N\n  input x : f32[N]\n"
                           "  left  Y : f32[i < N] = if x[i] < 41 then (exp(x[i]) + 1) - exp(x[i]) else 1\n"
                           "  right Y : f32[i < N] = 1\n",
                           "  size N\n  input x : f32[N]\n"
                           "  left  Y : f32[i < N] = if exp(x[i]) * exp(x[i]) = exp(2 * x[i]) then 1 else 0\n"
                           "  right Y : f32[i < N] = 1\n",
                           "  size N\n  input x : f32[N]\n  given [i < N] : x[i] >= 0\n"
                           "  left  Y : bool[i < N] = sqrt(x[i]) * sqrt(x[i]) = x[i]\n"
                           "  right Y : bool[i < N] = true\n",
                           "  size N\n  input x : f32[N]\n  given [i < N] : x[i] >= 0\n"
                           "  left  Y : f32[i < N] = ceil(sqrt(x[i]) * sqrt(x[i]))\n"
                           "  right Y : f32[i < N] = ceil(x[i])\n",
                           "  size N >= 1\n  input x : f32[N]\n"
                           "  left  Y : bool[] = (sum(i < N) (exp(x[i]) / (sum(j < N) exp(x[j])))) = 1\n"
                           "  right Y : bool[] = true\n",
                           // Beyond the largest double, and not infinite.
                           "  size N\n  input x : f32[N]\n"
                           "  left  Y : f32[i < N] = log(exp(1000 * x[i])) + sqrt(0)\n"
                           "  right Y : f32[i < N] = 1000 * x[i]\n",
                           // A demand that doubles take for met.
                           "  size N\n  input x : f32[N]\n  given [i < N] : x[i] > 0\n"
                           "  given [i < N] : sqrt(x[i]) * sqrt(x[i]) != x[i]\n"
                           "  left  Y : f32[i < N] = x[i] + sqrt(0)\n"
                           "  right Y : f32[i < N] = 0\n",
                           // A read that doubles take to be made.
                           "  size N >= 1\n  input x : f32[N]\n  given [i < N] : x[i] >= 0\n"
                           "  left  Y : f32[i < N] = x[if sqrt(x[i]) * sqrt(x[i]) = x[i] then 0 else N]\n"
                           "  right Y : f32[i < N] = x[0]\n"})
    EXPECT_NE(executed(body).outcome.state, State::refuted) << body;
}

TEST(Enclosure, DifferencesAreSeen) {
  for (const char* body : {"  size N\n  input x : f32[N]\n"
                           "  left  Y : f32[i < N] = if x[i] < 41 then (exp(x[i]) + 1) - exp(x[i]) else 2\n"
                           "  right Y : f32[i < N] = 1\n",
                           "  size N\n  input x : f32[N]\n"
                           "  left  Y : f32[i < N] = exp(x[i]) * (1 + ratio(1, 1000000))\n"
                           "  right Y : f32[i < N] = exp(x[i])\n",
                           "  size N\n  input x : f32[N]\n"
                           "  left  Y : bool[i < N] = sqrt(x[i]) * sqrt(x[i]) < x[i] + 1\n"
                           "  right Y : bool[i < N] = false\n",
                           "  size N\n  input x : f32[N]\n"
                           "  left  Y : f32[i < N] = x[if exp(x[i]) < 2 then 0 else N]\n"
                           "  right Y : f32[i < N] = x[0]\n",
                           "  size N\n  input x : f32[N]\n"
                           "  left  Y : f32[i < N] = real.f16(exp(x[i]))\n"
                           "  right Y : f32[i < N] = exp(x[i])\n",
                           "  size N >= 1\n  input x : f32[N]\n"
                           "  left  Y : f32[] = max(i < N) exp(x[i])\n"
                           "  right Y : f32[] = min(i < N) exp(x[i])\n"})
    EXPECT_EQ(executed(body).outcome.state, State::refuted) << body;
}

// Where one side has no value, that is a difference for who asks for it.
TEST(Enclosure, WhatIsUndefinedIsTold) {
  const std::string body =
      "  size N\n  input x : f32[N]\n"
      "  left  Y : f32[i < N] = if sqrt(x[i]) < 0 then 1 else log(x[i])\n"
      "  right Y : f32[i < N] = if x[i] <= 0 then 0 else log(x[i])\n";
  EXPECT_EQ(executed(body, true).outcome.state, State::refuted);
  EXPECT_NE(executed(body, false).outcome.state, State::refuted);
}

// Terms of every operation that doubles know, on random numbers: the enclosure holds the double up to its
// rounding.
TEST(Enclosure, HoldsWhatDoublesCompute) {
  std::mt19937 random(5);
  const Op unary[] = {Op::neg,  Op::abs,   Op::sign, Op::sqrt,  Op::rsqrt,     Op::reciprocal,
                      Op::exp,  Op::log,   Op::sin,  Op::cos,   Op::tanh,      Op::erf,
                      Op::atan, Op::floor, Op::ceil, Op::trunc, Op::round_even};
  const Op binary[] = {Op::add, Op::sub, Op::mul, Op::div, Op::max, Op::min, Op::pow};
  std::size_t compared = 0;
  for (int round = 0; round < 4000; ++round) {
    evaluator::Tensors tensors;
    for (const char* name : {"x", "y"}) {
      const double value = static_cast<double>(static_cast<int>(random() % 33) - 16) / 8;
      tensors[name] = evaluator::Tensor(Format::f32, {}, std::vector<double>{value});
    }
    std::vector<Term> terms{load("x", {}, Sort::real()), load("y", {}, Sort::real()),
                            real_constant(Rational(3, 4))};
    for (int depth = 0; depth < 3; ++depth) {
      const Term a = terms[random() % terms.size()], b = terms[random() % terms.size()];
      switch (random() % 4) {
        case 0:
          terms.push_back(apply(binary[random() % std::size(binary)], {a, b}));
          break;
        case 1:
          terms.push_back(select(calculus::compare(Op::lt, a, b), a, b));
          break;
        default:
          terms.push_back(apply(unary[random() % std::size(unary)], {a}));
      }
    }
    const Term term = terms.back();
    const double number = std::get<double>(evaluator::evaluate_term(term, {}, tensors));
    const std::vector<Definition> none;
    const evaluator::Symbols symbols;
    Enclosure enclosure(none, symbols, tensors);
    const Enclosed inside = enclosure.value(term, {});
    if (inside.kind == Enclosed::Kind::undefined) {
      EXPECT_FALSE(std::isfinite(number) && inside.has_value());
      continue;
    }
    if (inside.kind != Enclosed::Kind::real || !std::isfinite(number)) continue;
    ++compared;
    const double low = mpfr_get_d(inside.real.low(), MPFR_RNDD),
                 high = mpfr_get_d(inside.real.high(), MPFR_RNDU);
    const double slack = 1e-9 * std::max(1.0, std::fabs(number));
    EXPECT_LE(low - slack, number);
    EXPECT_GE(high + slack, number);
    EXPECT_LE(high - low, 1.0) << "a step at most";
  }
  EXPECT_GE(compared, 2500u);
}

}  // namespace
}  // namespace hallmark::rules
