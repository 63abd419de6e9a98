// The checker of interval certificates: what it accepts is true of executed values, and what is false by a
// hair it does not accept.
#include "boxes/boxes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "boxes/rational_interval.h"
#include "calculus/text/text.h"

namespace hallmark::boxes {
namespace {

using calculus::Program;

Program program(const std::string& body, const std::string& meaning = "exact") {
  return calculus::text::parse_program("hallmark 1\nprogram " + meaning + "\n" + body, "p.hm");
}

contract::Contract box(const Rational& low, const Rational& high) {
  contract::Contract out;
  out.inputs["x"].low = low;
  out.inputs["x"].high = high;
  return out;
}

const std::string head = "symbol N : 1 .. 100\ninput x : f32[N]\n";

std::optional<std::vector<std::string>> found(const Program& p, const contract::Contract& c) {
  return Boxes(p, c).find(p.definitions.back().declaration.name);
}

TEST(RationalInterval, FunctionsEncloseWhatTheLibraryComputes) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> any(-30, 30);
  for (int i = 0; i < 300; ++i) {
    const double a = any(random), b = a + std::abs(any(random)) / 10;
    const Range range{Rational(a), Rational(b)};
    const auto holds = [&](const Range& r, double low, double high) {
      EXPECT_LE(r.low.get_d(), std::nextafter(low, HUGE_VAL)) << a;
      EXPECT_GE(r.high.get_d(), std::nextafter(high, -HUGE_VAL)) << b;
      // And by little more than that.
      EXPECT_NEAR(r.low.get_d(), low, 1e-9 * (1 + std::abs(low))) << a;
      EXPECT_NEAR(r.high.get_d(), high, 1e-9 * (1 + std::abs(high))) << b;
    };
    holds(exponential(range).value(), std::exp(a), std::exp(b));
    const Range positive{Rational(std::abs(a) + 0x1p-40), Rational(std::abs(a) + 1)};
    holds(logarithm(positive), std::log(std::abs(a) + 0x1p-40), std::log(std::abs(a) + 1));
    holds(square_root(positive), std::sqrt(std::abs(a) + 0x1p-40), std::sqrt(std::abs(a) + 1));
    holds(shortened(range), a, b);
  }
  EXPECT_FALSE(exponential({0, 1001}));
}

TEST(RationalInterval, RoundingsStayInsideAndOverflowHasNoRange) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 2000; ++i) {
    const double x =
        std::ldexp(1 + static_cast<double>(random() % 1000000) / 1e6, static_cast<int>(random() % 270) - 150);
    const auto r = rounded({Rational(x), Rational(x)}, calculus::Format::f32);
    if (std::isinf(static_cast<float>(x))) {
      EXPECT_FALSE(r) << x;
    } else if (r) {
      EXPECT_TRUE(r->contains({Rational(static_cast<double>(static_cast<float>(x))),
                               Rational(static_cast<double>(static_cast<float>(x)))}))
          << x;
    }
  }
  EXPECT_FALSE(rounded({0, Rational(3.5e38)}, calculus::Format::f32));
  EXPECT_TRUE(rounded({0, Rational(3e38)}, calculus::Format::f32));
}

TEST(Boxes, DomainsAreShownAndTheirEdgesAreNot) {
  struct Case {
    const char* body;
    Rational low, high;
    bool shown;
  };
  for (const Case& c : std::vector<Case>{
           {"sqrt(x[i])", 0, 1, true},
           {"sqrt(x[i])", Rational(-1, 1000000), 1, false},
           {"log(x[i])", Rational(1, 9), 1, true},
           {"log(x[i])", 0, 1, false},
           {"1 / (x[i] + 2)", -1, 1, true},
           {"1 / (x[i] + 1)", -1, 1, false},
           {"sqrt(x[i] * x[i])", -1, 1, true},
           {"sqrt(exp(x[i]) - 1)", 0, 1, true},
           {"log(exp(x[i]))", -9, 9, true},
           {"sqrt(exp(x[i]) - 3)", 1, 2, false},
           {"if sqrt(x[i]) < 1 then 0 else 1", -1, 1, false},
           {"if x[i] < 0 then 1 else sqrt(x[i])", -1, 1, false},  // true, and more than boxes can show
           {"sqrt(sum(k < N) x[k])", 0, 1, true},
           {"sqrt(sum(k < N where k < 3) x[k])", Rational(-1, 99), 1, false}}) {
    const Program p = program(head + "define y : f32[i < N] =\n    " + c.body + "\noutput y\n");
    EXPECT_EQ(found(p, box(c.low, c.high)).has_value(), c.shown) << c.body;
  }
}

TEST(Boxes, AChainIsShownBoxByBoxAndNoBoxMayBeTooSmall) {
  const Program p = program(head +
                            "define a : f32[i < N] =\n    x[i] * x[i] + 1\n"
                            "define b : f32[i < N] =\n    sqrt(a[i] - 1)\noutput b\n");
  const contract::Contract c = box(-2, 2);
  const auto steps = found(p, c);
  ASSERT_TRUE(steps);
  ASSERT_EQ(steps->size(), 2u);
  Boxes boxes(p, c);
  EXPECT_EQ(boxes.check("b", *steps), "");
  EXPECT_NE(boxes.check("a", *steps), "") << "boxes after the one that is claimed";
  EXPECT_NE(boxes.check("b", {(*steps)[1], (*steps)[0]}), "");
  EXPECT_NE(boxes.check("b", {(*steps)[0]}), "");
  EXPECT_NE(boxes.check("b", {}), "");
  EXPECT_NE(boxes.check("c", *steps), "");
  // Every value is in [1, 5]: a box that ends below leaves values out, a larger one is as good.
  EXPECT_NE(boxes.check("b", {"a 1 4999/1000", "b 0 100"}), "");
  EXPECT_NE(boxes.check("b", {"a 1001/1000 5", "b 0 100"}), "");
  EXPECT_EQ(boxes.check("b", {"a 1 6", "b 0 100"}), "");
  EXPECT_NE(boxes.check("b", {"a 0 6", "b 0 100"}), "") << "then the root's operand may be negative";
  for (const char* line :
       {"a 1 5 6", "a 5 1", "a 1", "a 2/2 5", "a 1/0 5", "a 1 0x5", "a 1 1e9", "a nan 5", ""})
    EXPECT_NE(boxes.check("b", {line, "b 0 100"}), "") << line;
}

TEST(Boxes, FormulationsMustStayFinite) {
  const auto of = [](const std::string& meaning, const std::string& body) {
    return program(head + "define y : f32[i < N] =\n    " + body + "\noutput y\n", meaning);
  };
  const contract::Contract small = box(-1, 1), large = box(Rational(-1e30), Rational(1e30));
  EXPECT_TRUE(found(of("rounded", "x[i] * x[i]"), small));
  EXPECT_FALSE(found(of("rounded", "x[i] * x[i]"), large));
  EXPECT_TRUE(found(of("exact", "x[i] * x[i]"), large)) << "over the reals nothing overflows";
  const std::string sum = "fold(k < N; order seq; s = 0 -> fma(x[k], x[i], s))";
  EXPECT_TRUE(found(of("rounded", sum), small));
  EXPECT_FALSE(found(of("rounded", sum), box(Rational(-1e19), Rational(1e19))))
      << "100 terms below the largest";
  EXPECT_TRUE(found(of("rounded", sum), box(Rational(-1e18), Rational(1e18))));
}

// The boxes of a formulation hold what it computes, executed at random points in float.
TEST(Boxes, TheyHoldExecutedSums) {
  const std::string sum = "fold(k < N; order seq; s = 0 -> fma(x[k], x[k], s))";
  const Program p = program(head + "define y : f32[i < N] =\n    " + sum + "\noutput y\n", "rounded");
  const auto steps = found(p, box(-3, 2));
  ASSERT_TRUE(steps);
  const std::string line = steps->back();
  const Rational high(line.substr(line.rfind(' ') + 1));
  float worst = 0;
  for (int k = 0; k < 100; ++k) worst = std::fma(-3.0f, -3.0f, worst);
  EXPECT_GE(high, Rational(static_cast<double>(worst)));
  EXPECT_LE(high, Rational(static_cast<double>(worst)) * Rational(11, 10));
}

TEST(Boxes, NothingIsShownOfInputsThatMayBeInfinite) {
  const Program p = program(head + "define y : f32[i < N] =\n    x[i] + 1\noutput y\n");
  contract::Contract c = box(-1, 1);
  EXPECT_TRUE(found(p, c));
  c.infinity_allowed = true;
  EXPECT_FALSE(found(p, c));
  c = box(-1, 1);
  c.inputs.clear();
  EXPECT_FALSE(found(p, c));
}

}  // namespace
}  // namespace hallmark::boxes
