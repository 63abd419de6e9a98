// Quotients by what is at least a sum or a root of a sum of squares: shares, normalised rows; and what scales
// by a power of two. Beside each form that holds stand those that look like it and bound nothing.
#include "calculus/text/text.h"
#include "formulation/erase.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

State verdict(const std::string& body, long low, long high, const Rational& tolerance,
              const std::string& format = "f32", long count = 16) {
  const std::string n = std::to_string(count);
  const std::string text =
      "hallmark 1\nprogram rounded\ninput x : " + format + "[" + n + "]\n" + body + "output y\n";
  const Program given = calculus::text::parse_program(text, "t.hm");
  const Program exact = formulation::erase(given);
  contract::Contract c = with_tolerance(boxes(exact, low, high), tolerance);
  const std::vector<formulation::RoundedConstant> none;
  return tolerance_outcome({exact, given, none, c}, "y").state;
}

const Rational small(1, 100000);
const std::string row = "define s : f32[] = sum(k < 16; order seq) x[k]\n";

TEST(Shares, OfASumThatSomethingKeepsFromZero) {
  for (const char* divisor :
       {"(s[] + 0x1p-20)", "(0x1p-20 + s[])", "max(s[], 0x1p-20)", "maxnum(0x1p-20, s[])"})
    EXPECT_EQ(verdict(row + "define y : f32[i < 16] = x[i] / " + divisor + "\n", 0, 1, small), State::proved)
        << divisor;
  // Less than the sum; a minimum; terms of both signs: a quotient may be as great as it likes.
  for (const char* divisor : {"(s[] - 0x1p-20)", "min(s[], 0x1p-20)", "(s[] * 0x1p-20 + 0x1p-30)"})
    EXPECT_NE(verdict(row + "define y : f32[i < 16] = x[i] / " + divisor + "\n", 0, 1, small), State::proved)
        << divisor;
  EXPECT_NE(verdict(row + "define y : f32[i < 16] = x[i] / max(s[], 0x1p-20)\n", -1, 1, small),
            State::proved);
}

const std::string squares = "define s : f32[] = sum(k < 16; order seq) x[k] * x[k]\n";

TEST(NormalisedRows, AreBoundedWhateverKeepsTheDivisorFromZero) {
  for (const char* divisor :
       {"max(sqrt(s[]), 0x1p-20)", "(sqrt(s[]) + 0x1p-20)", "sqrt(s[] + 0x1p-30)", "sqrt(max(s[], 0x1p-30))",
        "(0x1p-20 + sqrt(s[]))", "sqrt(s[] / 16 + 0x1p-30)", "max(sqrt(s[] / 16), 0x1p-20)"})
    EXPECT_EQ(verdict(squares + "define y : f32[i < 16] = x[i] / " + divisor + "\n", -10, 10, small),
              State::proved)
        << divisor;
  EXPECT_EQ(
      verdict(
          squares + "define r : f32[] = 1 / max(sqrt(s[]), 0x1p-20)\ndefine y : f32[i < 16] = x[i] * r[]\n",
          -10, 10, small),
      State::proved);
  for (const char* divisor : {"min(sqrt(s[]), 0x1p-20)", "(sqrt(s[]) - 0x1p-20)", "max(s[], 0x1p-20)",
                              "max(sqrt(s[] * 0x1p-20), 0x1p-30)"})
    EXPECT_NE(verdict(squares + "define y : f32[i < 16] = x[i] / " + divisor + "\n", -10, 10, small),
              State::proved)
        << divisor;
  // Squares of something else, and only some of them.
  for (const char* sum : {"define s : f32[] = sum(k < 16; order seq) (x[k] - 1) * (x[k] - 1)\n",
                          "define s : f32[] = sum(k < 8; order seq) x[k] * x[k]\n"})
    EXPECT_NE(verdict(sum + std::string("define y : f32[i < 16] = x[i] / max(sqrt(s[]), 0x1p-20)\n"), -10, 10,
                      small),
              State::proved)
        << sum;
}

// In half precision the squares of small values are 0, and with them the root: only what keeps it from 0
// counts.
TEST(NormalisedRows, LoseTheirSquaresInHalfPrecision) {
  const std::string sum = "define s : f16[] = sum(k < 16; order seq) x[k] * x[k]\n";
  EXPECT_EQ(verdict(sum + "define y : f16[i < 16] = x[i] / max(sqrt(s[]), 0x1p-24)\n", 0, 1, Rational(1, 10),
                    "f16"),
            State::refuted);
}

TEST(PowersOfTwo, OnlyScale) {
  const auto scaled = [](const std::string& body, const Rational& tolerance) {
    return verdict("define y : f16[i < 4] = " + body + "\n", -1, 1, tolerance, "f16", 4);
  };
  EXPECT_EQ(scaled("x[i] * 1024", 0), State::proved);
  EXPECT_EQ(scaled("(x[i] * 4) / 0x1p-5", 0), State::proved);
  EXPECT_EQ(scaled("x[i] / 3", 0), State::refuted);
  EXPECT_EQ(scaled("x[i] * 3", 0), State::refuted);
  EXPECT_EQ(scaled("(x[i] * 0x1p-5) * 32", Rational(1, 1 << 20)), State::proved);
  // What falls below the least value is lost, and no more.
  EXPECT_EQ(scaled("(x[i] * 0x1p-5) * 32", 0), State::refuted);
  EXPECT_EQ(scaled("x[i] * 0x1p-5", Rational(1, 1 << 25)), State::proved);
  EXPECT_EQ(scaled("x[i] * 0x1p-5", Rational(1, 1 << 26)), State::refuted);
}

}  // namespace
}  // namespace hallmark::numerics
