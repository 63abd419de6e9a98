// Boxes by parts: what one evaluation is too wide for is shown, nothing else is, and no tampering passes.
#include "boxes/parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "boxes/boxes.h"
#include "calculus/text/text.h"

namespace hallmark::boxes {
namespace {

using calculus::Program;

Program program(const std::string& definitions, const std::string& meaning = "exact") {
  return calculus::text::parse_program("hallmark 1\nprogram " + meaning +
                                           "\nsymbol N : 2 .. 100\ninput x : f32[N]\ninput w : f32[N]\n" +
                                           definitions + "output y\n",
                                       "p.hm");
}

contract::Contract box() {
  contract::Contract out;
  for (const char* input : {"x", "w"}) {
    out.inputs[input].low = -1;
    out.inputs[input].high = 1;
  }
  return out;
}

// sqrt of t, which is a polynomial of x[i] in definitions of their own.
std::string root_of(const std::string& t) {
  return "define q : f32[i < N] = x[i] * x[i]\ndefine t : f32[i < N] = " + t +
         "\ndefine y : f32[i < N] = sqrt(t[i])\n";
}

using Steps = std::vector<std::string>;
std::optional<Steps> found(const Program& p) {
  return Boxes(p, box()).find("y");
}

TEST(Parts, ShowWhatOneEvaluationDoesNot) {
  for (const char* meaning : {"exact", "rounded"}) {
    const Program p = program(root_of("q[i] - x[i] + 0.5"), meaning);
    EXPECT_THROW(definition_range(
                     p.definitions[2], p.symbols,
                     {{"t", definition_range(p.definitions[1], p.symbols, {{"x", {-1, 1}}, {"q", {0, 1}}})}}),
                 NotShown);
    const auto steps = found(p);
    ASSERT_TRUE(steps) << meaning;
    EXPECT_NE((*steps)[1].find(" by x "), std::string::npos);
    EXPECT_EQ(Boxes(p, box()).check("y", *steps), "");
  }
  // The least value is 1/4 above 0, and a hair of it is enough; a hair below it is not.
  EXPECT_TRUE(found(program(root_of("q[i] - x[i] + 0.28125"))));
  EXPECT_FALSE(found(program(root_of("q[i] - x[i] + 0.2421875"))));
  // Products with two inputs; each input's box is cut.
  const auto two =
      found(program("define t : f32[i < N] = (x[i] * x[i] - 2 * x[i] * w[i] + w[i] * w[i]) + 1.5\n"
                    "define y : f32[i < N] = 1 / t[i]\n"));
  ASSERT_TRUE(two);
  EXPECT_NE((*two)[0].find(" by w "), std::string::npos);
  EXPECT_NE((*two)[0].find(" by x "), std::string::npos);
}

// Two elements of x have nothing to do with each other, whatever parts they are in.
TEST(Parts, AreOfOneElement) {
  for (const char* other : {"x[N - 1 - i]", "x[0]", "(max(k < N) x[k])", "w[i]"})
    EXPECT_FALSE(found(program(root_of("q[i] - " + std::string(other) + " + 0.5")))) << other;
  const Program p = program(root_of("q[i] - x[N - 1 - i] + 0.5"));
  const Ranges given{{"x", {-1, 1}}, {"w", {-1, 1}}, {"q", {0, 1}}};
  EXPECT_THROW(range_over_parts(p, p.definitions[1], given, {{"x", {0}}}), NotShown);
  const Program sum = program("define y : f32[i < N] = sum(k < N) (x[k] * x[k] - x[k])\n");
  EXPECT_THROW(range_over_parts(sum, sum.definitions[0], given, {{"x", {0}}}), NotShown);
}

TEST(Parts, OfACertificateAreChecked) {
  const Program p = program(root_of("q[i] - x[i] + 0.5"));
  const Steps steps = found(p).value();
  const std::string& line = steps[1];
  const std::size_t by = line.find(" by ");
  const auto fault = [&](const std::string& second, const std::string& last = "") {
    Steps changed = steps;
    changed[1] = second;
    if (!last.empty()) changed[2] = last;
    return Boxes(p, box()).check("y", changed);
  };
  EXPECT_EQ(fault(line), "");
  const std::string head = line.substr(0, by);
  for (const std::string cuts :
       {"", " by x", " by x 0", " by x 2", " by x -2 0", " by x 1/2 0", " by x 0 0", " by x -1 0", " by x 1",
        " by w 0", " by q 0", " by z 0", " by x 0 by x 1/2", " x 0", " by", " by x 0 1/0", " by x 0.5"})
    EXPECT_NE(fault(head + cuts), "") << cuts;
  std::string many = " by x";
  for (int i = 1; i < 1000; ++i) many += " " + Rational(Rational(i) / 500 - 1).get_str();
  EXPECT_NE(fault(head + many), "") << "more parts than are looked at";
  EXPECT_NE(fault(head + " by x 1/1" + std::string(200, '0')), "");
  // One cut less, one that is moved: the parts still cover the box, and are checked as they are.
  const std::string cuts = line.substr(by);
  EXPECT_NE(fault(head + cuts.substr(0, cuts.find(" 3/8"))), "") << "what is left of the box is one part";
  EXPECT_EQ(fault("t 1/16 3" + cuts, "y 0 2"), "") << "a wider box is as good";
  EXPECT_NE(fault("t 1/4 5/2" + cuts, "y 0 2"), "") << "narrower than these parts show";
  EXPECT_NE(fault("t -1/16 3" + cuts, "y 0 2"), "") << "the root of what may be below 0";
  EXPECT_NE(fault(line, steps[2] + " by x 0"), "") << "the reader's own range by parts that do not show it";
}

// Wherever there is a certificate, executed elements are inside its boxes.
TEST(Parts, HoldWhatIsExecuted) {
  std::mt19937 random(3);
  std::size_t with_parts = 0, certified = 0;
  for (int round = 0; round < 160; ++round) {
    double c[6];
    std::string poly;
    for (double& v : c) v = static_cast<double>(static_cast<int>(random() % 17) - 8) / 4;
    const auto text = [](double v) { return v < 0 ? "(0 - " + std::to_string(-v) + ")" : std::to_string(v); };
    c[0] = std::abs(c[0]) + 0.25;
    poly = text(c[0]) + " + " + text(c[1]) + " * x[i] + " + text(c[2]) + " * (x[i] * x[i]) + " + text(c[3]) +
           " * (x[i] * w[i]) + " + text(c[4]) + " * (w[i] * w[i])";
    const Program p = program("define t : f32[i < N] = " + poly + "\ndefine y : f32[i < N] = log(t[i])\n");
    const auto steps = found(p);
    const auto value = [&](double x, double w) {
      return c[0] + c[1] * x + c[2] * x * x + c[3] * x * w + c[4] * w * w;
    };
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i <= 64; ++i)
      for (int j = 0; j <= 64; ++j) {
        const double v = value(i / 32.0 - 1, j / 32.0 - 1);
        least = std::min(least, v);
        most = std::max(most, v);
      }
    if (!steps) continue;
    ++certified;
    with_parts += (*steps)[0].find(" by ") != std::string::npos ? 1 : 0;
    EXPECT_GT(least, 0) << poly;
    std::istringstream words((*steps)[0]);
    std::string name, low, high;
    words >> name >> low >> high;
    EXPECT_LE(Rational(low).get_d(), least + 1e-9) << poly;
    EXPECT_GE(Rational(high).get_d(), most - 1e-9) << poly;
  }
  EXPECT_GT(with_parts, 10u);
  EXPECT_GT(certified, with_parts);
}

}  // namespace
}  // namespace hallmark::boxes
