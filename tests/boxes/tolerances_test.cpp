// Certificates of errors: no executed difference is above a bound that they show, what holds by a hair less
// is not shown, and where a bound cannot be shown in this way there is none.
#include "boxes/tolerances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <tuple>

#include "calculus/text/text.h"
#include "evaluator/evaluator.h"

namespace hallmark::boxes {
namespace {

using calculus::Program;

constexpr std::int64_t count = 60;

Program program(const std::string& meaning, const std::string& body) {
  return calculus::text::parse_program("hallmark 1\nprogram " + meaning +
                                           "\nsymbol N : 1 .. 60\ninput x : f32[N]\ninput w : f32[N]\n"
                                           "define y : f32[i < N] =\n    " +
                                           body + "\noutput y\n",
                                       "p.hm");
}

contract::Contract within(const Rational& size, const Rational& tolerance) {
  contract::Contract out;
  for (const char* input : {"x", "w"}) {
    out.inputs[input].low = input[0] == 'x' ? Rational(-size) : Rational(1, 2);
    out.inputs[input].high = size;
  }
  out.tolerance.absolute = tolerance;
  return out;
}

// The error of the last step.
Rational error_of(const std::vector<std::string>& steps) {
  const std::string& line = steps.back();
  return Rational(line.substr(line.rfind(' ') + 1));
}

std::optional<std::vector<std::string>> found(const Program& p, const contract::Contract& c,
                                              const std::vector<ExactConstant>& constants = {}) {
  return Tolerances(p, constants, c).find("y");
}

// A negative quarter in the notation of programs.
std::string fmt_number(int quarters) {
  return "(0 - " + std::to_string(-quarters / 4.0) + ")";
}

evaluator::Tensor tensor(const std::vector<float>& values) {
  auto data = std::make_shared<calculus::TensorData>();
  data->format = calculus::Format::f32;
  data->extents = {static_cast<std::int64_t>(values.size())};
  data->bytes.resize(values.size() * sizeof(float));
  std::memcpy(data->bytes.data(), values.data(), data->bytes.size());
  return evaluator::Tensor(evaluator::Tensor::Encoded(data));
}

struct Pair {
  std::string rounded, exact;
  double size;
  double slack;  // the bound is at most so many times the greatest executed error, or 0: not looked at
};

class Executed : public ::testing::TestWithParam<Pair> {};

TEST_P(Executed, NoDifferenceIsAboveTheBound) {
  const Pair& pair = GetParam();
  const Program rounded = program("rounded", pair.rounded), exact = program("exact", pair.exact);
  const auto steps = found(rounded, within(Rational(pair.size), 1'000'000));
  ASSERT_TRUE(steps) << Tolerances(rounded, {}, within(1, 1)).check("y", {"y 0 1 0 1 0"});
  const Rational bound = error_of(*steps);
  std::mt19937_64 random(11);
  const float size = static_cast<float>(pair.size);
  Rational worst = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<float> x, w;
    for (std::int64_t i = 0; i < count; ++i) {
      std::uniform_real_distribution<float> any(round % 2 == 0 ? -size : size * 0.9f, size), high(0.5f, size);
      // At the ends of the box, near them, and anywhere.
      x.push_back(round < 2 ? (round == 0 ? size : -size) : any(random));
      w.push_back(round < 2 ? (round == 0 ? 0.5f : size) : high(random));
    }
    const evaluator::Symbols symbols{{"N", count}};
    const evaluator::Tensors inputs{{"x", tensor(x)}, {"w", tensor(w)}};
    const evaluator::Tensor computed = evaluator::evaluate(rounded, symbols, inputs).at("y");
    const evaluator::Tensor wanted = evaluator::evaluate(exact, symbols, inputs).at("y");
    for (std::int64_t i = 0; i < count; ++i) {
      const Rational wrong = abs(computed.exact(i) - wanted.exact(i));
      // The exact side is computed in double.
      const Rational doubtful = abs(wanted.exact(i)) * Rational(1, 1'000'000'000'000) + Rational(1e-14);
      EXPECT_LE(wrong, bound + doubtful) << pair.rounded << " at " << i;
      worst = std::max(worst, wrong);
    }
  }
  if (pair.slack > 0) {
    EXPECT_LE(bound.get_d(), pair.slack * worst.get_d()) << "and is no bound that says nothing";
  }
}

const std::string lanes = "; order strided(8, blocked(4, tree(4), tree(2)))";

INSTANTIATE_TEST_SUITE_P(
    Programs, Executed,
    ::testing::Values(
        Pair{"x[i] + w[i]", "x[i] + w[i]", 3, 2}, Pair{"x[i] - w[i]", "x[i] - w[i]", 1000, 2},
        Pair{"x[i] * w[i] + 1", "x[i] * w[i] + 1", 7, 4},
        Pair{"fma(x[i], w[i], x[i])", "x[i] * w[i] + x[i]", 7, 3}, Pair{"x[i] / w[i]", "x[i] / w[i]", 5, 3},
        Pair{"1 / sqrt(w[i])", "1 / sqrt(w[i])", 9, 6},
        Pair{"sqrt(w[i] * w[i] + 1)", "sqrt(w[i] * w[i] + 1)", 4, 20},
        Pair{"maxnum(0, x[i] * x[i] - w[i])", "max(0, x[i] * x[i] - w[i])", 2, 4},
        Pair{"if i <= 5 then x[i] * w[i] else neg(x[i])", "if i <= 5 then x[i] * w[i] else neg(x[i])", 5, 2},
        Pair{"abs(x[i] * x[i] * x[i])", "abs(x[i] * x[i] * x[i])", 6, 4},
        Pair{"fold(k < N; order seq; s = 0 -> fma(x[k], w[k], s))", "sum(k < N) x[k] * w[k]", 3, 0},
        Pair{"fold(k < N; order seq; s = 0 -> s + x[k])", "sum(k < N) x[k]", 1, 0},
        Pair{"fold(k < N" + lanes + "; s = 0 -> fma(x[k], x[k], s); with t -> s + t)",
             "sum(k < N) x[k] * x[k]", 3, 0},
        Pair{"fold(k < N; order seq; s = 0 -> fold(q < 2 where q <= i; order seq; s1 = s -> s1 + x[k] * "
             "w[q]))",
             "sum(k < N) (sum(q < 2 where q <= i) x[k] * w[q])", 3, 0},
        Pair{"(sum(k < N; order strided(8, seq)) x[k]) / 60", "(sum(k < N) x[k]) / 60", 100, 0},
        Pair{"fold(k < N; order seq; s = -inf -> maxnum(x[k] * w[k], s))", "max(k < N) x[k] * w[k]", 5, 2}));

TEST(Tolerances, TheToleranceIsComparedToTheLastBit) {
  const Program p = program("rounded", "x[i] * w[i]");
  const auto steps = found(p, within(2, 1));
  ASSERT_TRUE(steps);
  const Rational error = error_of(*steps);
  EXPECT_TRUE(found(p, within(2, error)));
  EXPECT_FALSE(found(p, within(2, error * Rational(999999, 1000000))));
  EXPECT_FALSE(found(p, within(2, 0)));
  EXPECT_TRUE(found(program("rounded", "maxnum(0, x[i])"), within(2, 0))) << "nothing is rounded";
  // A relative part counts where the exact value is least.
  contract::Contract relative = within(2, 0);
  relative.tolerance.relative = Rational(1, 1000);
  EXPECT_FALSE(found(p, relative)) << "the product may be 0";
  EXPECT_TRUE(found(program("rounded", "w[i] * w[i]"), relative));
}

TEST(Tolerances, EveryStepIsComputedAgain) {
  const Program p = calculus::text::parse_program(
      "hallmark 1\nprogram rounded\nsymbol N : 1 .. 60\ninput x : f32[N]\ninput w : f32[N]\n"
      "define a : f32[i < N] =\n    x[i] * w[i]\ndefine y : f32[i < N] =\n    a[i] + 1\noutput y\n",
      "p.hm");
  const contract::Contract c = within(2, Rational(1, 1000));
  const auto steps = found(p, c);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 2u);
  Tolerances checker(p, {}, c);
  EXPECT_EQ(checker.check("y", *steps), "");
  const auto with = [&](const std::string& first) { return checker.check("y", {first, (*steps)[1]}); };
  EXPECT_NE(with("a -4 4 -5 5 0"), "") << "a product is rounded";
  EXPECT_NE(with("a -4 3 -5 5 1/100000"), "") << "4 is reached";
  EXPECT_NE(with("a -4 4 -4 4 1/100000"), "") << "what is rounded may leave the exact box";
  EXPECT_NE(with("a -4 4 -5 5 1/100000"), "") << "then y is further off than it says";
  EXPECT_EQ(checker.check("y", {"a -4 4 -5 5 1/100000", "y -3 5 -5 7 1/10000"}), "");
  EXPECT_NE(checker.check("y", {"a -4 4 -5 5 1/100000", "y -3 5 -5 7 2/1000"}), "") << "no lowest terms";
  EXPECT_NE(checker.check("y", {"a -4 4 -5 5 1/100000", "y -3 5 -5 7 1/999"}), "") << "above the tolerance";
  for (const char* line : {"a -4 4 -5 5", "a -4 4 -5 5 -1", "a 4 -4 -5 5 1", "a -4 4 5 -5 1",
                           "a -4 4 -5 5 1 1", "a -4 4 -5 5 x", "b -4 4 -5 5 1", ""})
    EXPECT_NE(with(line), "") << line;
  EXPECT_NE(checker.check("y", {(*steps)[0]}), "");
  EXPECT_NE(checker.check("z", *steps), "");
  EXPECT_NE(checker.check("a", *steps), "") << "steps after the output";
}

// A constant counts with its distance from what it stands for.
TEST(Tolerances, RoundedConstants) {
  const Program p = program("rounded", "maxnum(x[i], 0x1.99999ap-4)");
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(0.1f);
  EXPECT_TRUE(found(p, within(2, 0))) << "the constant is itself";
  const std::vector<ExactConstant> tenth{{"y", calculus::Format::f32, bits, Rational(1, 10)}};
  EXPECT_FALSE(found(p, within(2, 0), tenth));
  const Rational off = abs(Rational(static_cast<double>(0.1f)) - Rational(1, 10));
  EXPECT_TRUE(found(p, within(2, off * Rational(1001, 1000)), tenth));
  EXPECT_FALSE(found(p, within(2, off * Rational(999, 1000)), tenth));
}

// Where rounding can change which way it goes, a bound of distances shows nothing.
TEST(Tolerances, WhatIsNotShown) {
  const contract::Contract c = within(2, 1'000'000);
  for (const char* body :
       {"if x[i] < 0 then 0 else 1", "floor(x[i])", "1 / x[i]", "sqrt(x[i])", "1 / (w[i] - 0.5)",
        "fold(k < N; order strided(8, seq); s = 0 -> s + x[k]; with t -> maxnum(s, t))"}) {
    EXPECT_FALSE(found(program("rounded", body), c)) << body;
  }
  const std::string sum = "fold(k < N; order seq; s = 0 -> s + x[k])";
  EXPECT_TRUE(found(program("rounded", sum), c));
  EXPECT_FALSE(found(
      program("rounded", "fold(k < N; order seq; s = 0 -> fold(q < 3; order seq; s1 = s -> s1 + s))"), c))
      << "the inner steps look at the outer state";
  EXPECT_FALSE(
      found(program("rounded", "fold(k < N where k < 3; order seq; s = -inf -> maxnum(x[k], s))"), c))
      << "guards could leave nothing";
  EXPECT_FALSE(found(program("rounded", sum), within(Rational(3e37), 1'000'000))) << "it may overflow";
  contract::Contract flushing = c;
  flushing.ftz = true;
  EXPECT_FALSE(found(program("rounded", sum), flushing));
}

Program of_root(const std::string& middle) {
  return calculus::text::parse_program(
      "hallmark 1\nprogram rounded\nsymbol N : 1 .. 60\ninput x : f32[N]\ninput w : f32[N]\n"
      "define q : f32[i < N] =\n    x[i] * x[i]\ndefine t : f32[i < N] =\n    " +
          middle + "\ndefine y : f32[i < N] =\n    sqrt(t[i])\noutput y\n",
      "p.hm");
}

// x^2 - x + 1/2 is at least 1/4, which one evaluation over [-1, 1] does not know.
TEST(Tolerances, PartsShowWhatOneEvaluationDoesNot) {
  const Program p = of_root("q[i] - x[i] + 0.5");
  const contract::Contract c = within(1, Rational(1, 1'000'000));
  const auto steps = found(p, c);
  ASSERT_TRUE(steps);
  EXPECT_NE((*steps)[1].find(" by x "), std::string::npos) << (*steps)[1];
  Tolerances checker(p, {}, c);
  EXPECT_EQ(checker.check("y", *steps), "");
  const std::string line = (*steps)[1], numbers = line.substr(0, line.find(" by "));
  const auto with = [&](const std::string& middle) {
    return checker.check("y", {(*steps)[0], middle, (*steps)[2]});
  };
  EXPECT_EQ(with(line), "");
  for (const std::string cuts : {"", " by x", " by x 0", " by x 2", " by x 1/2 0", " by w 3/4", " by q 1/2",
                                 " by z 0", " x 0", " by x 0.5", " 1"})
    EXPECT_NE(with(numbers + cuts), "") << cuts;
  // Less error than the parts have, and a smaller box than the values fill.
  EXPECT_NE(with(numbers.substr(0, numbers.rfind(' ')) + " 0" + line.substr(line.find(" by "))), "");
  EXPECT_NE(with("t 1 2 1 2 1/1000000" + line.substr(line.find(" by "))), "");
  EXPECT_FALSE(found(of_root("q[i] - x[i] + 0.1875"), c)) << "it is below 0 near 1/2";
  EXPECT_FALSE(found(of_root("q[i] - x[N - 1 - i] + 0.5"), c)) << "another element";
}

// An encoding stands for what its own definition says, and no other's.
TEST(Tolerances, PartsLoseNoRoundedConstant) {
  const Program p = of_root("q[i] - x[i] + 0x1.99999ap-1");
  const contract::Contract c = within(1, Rational(1, 1'000'000));
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(0.8f);
  const auto constant = [&](const char* definition, const Rational& exact) {
    return std::vector<ExactConstant>{{definition, calculus::Format::f32, bits, exact}};
  };
  const auto plain_steps = found(p, c);
  ASSERT_TRUE(plain_steps);
  // What is said of a definition that has no such encoding changes nothing.
  for (const char* definition : {"q", "y"}) {
    const auto steps = found(p, c, constant(definition, Rational(1)));
    ASSERT_TRUE(steps) << definition;
    EXPECT_EQ(error_of(*steps), error_of(*plain_steps)) << definition;
  }
  const auto near = found(p, c, constant("t", Rational(4, 5)));
  ASSERT_TRUE(near);
  EXPECT_NE((*near)[1].find(" by x "), std::string::npos) << (*near)[1];
  EXPECT_GT(error_of({(*near)[1].substr(0, (*near)[1].find(" by "))}),
            abs(Rational(static_cast<double>(0.8f)) - Rational(4, 5)));
  EXPECT_NE(Tolerances(p, constant("t", Rational(4, 5)), c).check("y", *plain_steps), "")
      << "the distance of the constant is left out";
  EXPECT_FALSE(found(p, c, constant("t", Rational(1)))) << "further off than the tolerance";
  EXPECT_TRUE(found(p, c, constant("t", Rational(static_cast<double>(0.8f))))) << "rounded to itself";
  // One encoding, two constants: of neither is anything shown.
  const Program plain = program("rounded", "maxnum(x[i], 0x1.99999ap-4)");
  const std::uint32_t tenth = std::bit_cast<std::uint32_t>(0.1f);
  EXPECT_FALSE(found(plain, within(2, 1),
                     {{"y", calculus::Format::f32, tenth, Rational(1, 10)},
                      {"y", calculus::Format::f32, tenth, Rational(1000001, 10000000)}}));
}

// One encoding that stands for two numbers in two definitions, of which one would be put in the other's
// place.
TEST(Tolerances, PartsKeepApartWhatOneEncodingStandsFor) {
  const Program p = calculus::text::parse_program(
      "hallmark 1\nprogram rounded\nsymbol N : 1 .. 60\ninput x : f32[N]\ninput w : f32[N]\n"
      "define q : f32[i < N] =\n    x[i] * x[i] * 0x1.99999ap-1\n"
      "define t : f32[i < N] =\n    q[i] - x[i] * 0x1.99999ap-1 + 1\n"
      "define y : f32[i < N] =\n    t[i] * 1\noutput y\n",
      "p.hm");
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(0.8f);
  const contract::Contract loose = within(1, 10);
  // At x = 1 or -1 the exact value is so far off.
  for (const auto& [q, t, off] : std::vector<std::tuple<Rational, Rational, Rational>>{
           {1, Rational(static_cast<double>(0.8f)), Rational(19, 100)},
           {Rational(static_cast<double>(0.8f)), 1, Rational(19, 100)},
           {1, Rational(1, 2), Rational(49, 100)}}) {
    const std::vector<ExactConstant> constants{{"q", calculus::Format::f32, bits, q},
                                               {"t", calculus::Format::f32, bits, t}};
    const auto steps = found(p, loose, constants);
    ASSERT_TRUE(steps);
    EXPECT_GE(error_of(*steps), off);
    EXPECT_FALSE(found(p, within(1, off), constants));
    std::vector<ExactConstant> only_q{constants[0]};
    const auto of_q = found(p, loose, only_q);
    ASSERT_TRUE(of_q);
    if (q == 1) {
      EXPECT_GE(error_of(*of_q), Rational(19, 100));
    }
  }
}

// More definitions than were once looked at by parts.
TEST(Tolerances, PartsOfALongProgram) {
  std::string text =
      "hallmark 1\nprogram rounded\nsymbol N : 1 .. 60\ninput x : f32[N]\ninput w : f32[N]\n"
      "define q : f32[i < N] =\n    x[i] * x[i]\ndefine t0 : f32[i < N] =\n    q[i] - x[i] + 0.5\n";
  for (int i = 1; i <= 60; ++i)
    text += "define t" + std::to_string(i) + " : f32[i < N] =\n    t" + std::to_string(i - 1) + "[i] * 1\n";
  const Program p =
      calculus::text::parse_program(text + "define y : f32[i < N] =\n    sqrt(t60[i])\noutput y\n", "p.hm");
  const contract::Contract c = within(1, Rational(1, 10'000));
  const auto steps = found(p, c);
  ASSERT_TRUE(steps);
  EXPECT_EQ(steps->size(), 63u);
  EXPECT_EQ(Tolerances(p, {}, c).check("y", *steps), "");
}

// Wherever parts show a bound, no executed element is further off.
TEST(Tolerances, PartsHoldWhatIsExecuted) {
  std::mt19937 random(5);
  std::size_t in_parts = 0;
  for (int round = 0; round < 60; ++round) {
    const auto number = [&] {
      const int n = static_cast<int>(random() % 17) - 8;
      return n < 0 ? fmt_number(n) : std::to_string(n / 4.0);
    };
    const std::string poly = number() + " * x[i] + q[i] * " + number() + " + 1.25 + w[i] * " + number();
    const std::string head = "\nsymbol N : 1 .. 60\ninput x : f32[N]\ninput w : f32[N]\n",
                      body = "define q : f32[i < N] =\n    x[i] * x[i]\ndefine t : f32[i < N] =\n    " +
                             poly + "\ndefine y : f32[i < N] =\n    1 / t[i]\noutput y\n";
    const Program rounded =
                      calculus::text::parse_program("hallmark 1\nprogram rounded" + head + body, "p.hm"),
                  exact = calculus::text::parse_program("hallmark 1\nprogram exact" + head + body, "p.hm");
    const auto steps = found(rounded, within(1, 1'000'000));
    if (!steps) continue;
    in_parts += std::any_of(steps->begin(), steps->end(),
                            [](const std::string& s) { return s.find(" by ") != std::string::npos; });
    const Rational bound = error_of(*steps);
    std::vector<float> x, w;
    for (std::int64_t i = 0; i < count; ++i) {
      x.push_back(static_cast<float>(2.0 * static_cast<double>(i) / (count - 1) - 1));
      w.push_back(std::uniform_real_distribution<float>(0.5f, 1)(random));
    }
    const evaluator::Symbols symbols{{"N", count}};
    const evaluator::Tensors inputs{{"x", tensor(x)}, {"w", tensor(w)}};
    const evaluator::Tensor computed = evaluator::evaluate(rounded, symbols, inputs).at("y"),
                            wanted = evaluator::evaluate(exact, symbols, inputs).at("y");
    for (std::int64_t i = 0; i < count; ++i)
      EXPECT_LE(abs(computed.exact(i) - wanted.exact(i)),
                bound + abs(wanted.exact(i)) * Rational(1, 1'000'000'000'000) + Rational(1e-14))
          << poly << " at " << i;
  }
  EXPECT_GT(in_parts, 3u);
}

TEST(Tolerances, HeightsOfOrders) {
  using calculus::integer;
  const auto order = [](calculus::Order::Kind kind, long size, const calculus::Order* inner = nullptr,
                        const calculus::Order* outer = nullptr) {
    calculus::Order out;
    out.kind = kind;
    out.size = integer(size);
    out.inner = inner;
    out.outer = outer;
    return calculus::make_order(out);
  };
  using Kind = calculus::Order::Kind;
  EXPECT_GE(height_of(calculus::seq_order(), 100), 100);
  EXPECT_GE(height_of(nullptr, 100), 100);
  EXPECT_GE(height_of(order(Kind::tree, 64), 64), 6);
  EXPECT_LE(height_of(order(Kind::tree, 64), 64), 8);
  const calculus::Order* block = order(Kind::blocked, 32, order(Kind::tree, 32), order(Kind::tree, 4));
  EXPECT_GE(height_of(order(Kind::strided, 128, block), 768), 6 + 5 + 2);
  EXPECT_LE(height_of(order(Kind::strided, 128, block), 768), 6 + 5 + 2 + 3);
}

}  // namespace
}  // namespace hallmark::boxes
