// Expressions where something is 0 or nearly so: roots without a slope, powers, inputs of many binades, forms
// that agree only over the reals; each claim that holds beside one that does not.
#include "expression_support.h"

namespace hallmark::numerics {
namespace {

using testing::absolute;
using testing::relative;

struct Judged {
  State state = State::unrun;
  ExpressionReport report;
};
Judged judge(const std::string& text, const contract::Tolerance& tolerance, std::size_t evaluations = 8000) {
  Judged out;
  out.report = testing::judged("(FPCore " + text + ")", tolerance, evaluations, 3000);
  out.state = out.report.verdict.value_or(State::unrun);
  return out;
}
const Rational millionth(1, 1000000);

// sqrt has no slope at 0, and the norm of a small vector is small all the same.
TEST(NearZero, RootsHaveABound) {
  const std::string square = " :precision binary32 :pre (and (<= -1 x 1) (<= -1 y 1)) ";
  const Judged norm = judge("(x y)" + square + "(sqrt (+ (* x x) (* y y)))", absolute(millionth), 3000);
  EXPECT_EQ(norm.state, State::proved) << norm.report.verdict_text;
  EXPECT_GE(norm.report.ratio, 1);
  EXPECT_LE(norm.report.ratio, 1.5);
  // Cases and roots together, and a root of a root.
  EXPECT_EQ(
      judge("(x y)" + square + "(sqrt (fmax (fabs (* x 0.1)) (fabs (* y 0.3))))", absolute(millionth), 4000)
          .state,
      State::proved);
  EXPECT_EQ(
      judge("(x) :precision binary32 :pre (<= 0 x 1) (sqrt (sqrt (* x 0.1)))", absolute(millionth)).state,
      State::proved);
  // The operand's error is no rounding but 2^-20: the root of it is 2^-10 at 0.
  const std::string shifted = "(x) :precision binary32 :pre (<= 0 x 1) :spec (sqrt x) (sqrt (+ x 0x1p-20))";
  EXPECT_EQ(judge(shifted, absolute(Rational(1, 1025))).state, State::refuted);
  EXPECT_EQ(judge(shifted, absolute(Rational(1, 1000))).state, State::proved);
  // Below 0 there is no root.
  EXPECT_EQ(judge("(x y)" + square + "(sqrt (- (* x x) (* y y)))", absolute(1)).state, State::refuted);
}

TEST(NearZero, TheRootOfACancelledVarianceIsRefuted) {
  const std::string pre = "(x y) :precision binary32 :pre (and (<= 1 x 2) (<= 1 y 2)) ";
  const std::string mean = "(/ (+ x y) 2)";
  EXPECT_EQ(judge(pre + "(sqrt (fmax 0 (- (/ (+ (* x x) (* y y)) 2) (* " + mean + " " + mean + "))))",
                  absolute(Rational(1, 10000)))
                .state,
            State::refuted);
  EXPECT_EQ(judge(pre + "(let ((d (- x y))) (sqrt (* (* d d) 0.3)))", absolute(Rational(1, 10000))).state,
            State::proved);
}

TEST(NearZero, PowersHaveABound) {
  const auto power = [](const std::string& exponent, const std::string& low) {
    return judge("(x) :precision binary32 :pre (<= " + low + " x 1.5) (pow (* x 0.9) " + exponent + ")",
                 absolute(Rational(1, 10000)))
        .state;
  };
  for (const char* exponent : {"0.45", "1", "1.5", "2.2", "0.1"})
    EXPECT_EQ(power(exponent, "0"), State::proved) << exponent;
  // 1 / 0, and a root of what may be negative.
  EXPECT_EQ(power("-0.5", "0"), State::refuted);
  EXPECT_EQ(power("0.45", "-1"), State::refuted);
  // An exponent that is an input, near 0 too.
  EXPECT_EQ(judge("(x y) :precision binary32 :pre (and (<= 0 x 1) (<= 0.5 y 3)) (pow x (* y 0.9))",
                  absolute(Rational(1, 10000)))
                .state,
            State::proved);
}

// The ends of the box need not be values of the format; an input beside the box is no witness, and must not
// take the place of one.
TEST(NearZero, WitnessesLieInsideOfTheBox) {
  const std::string pre = "(x) :precision binary32 :pre (<= 1e-8 x 1) ";
  const Rational e(1, 1000000);
  EXPECT_EQ(judge(pre + ":spec (expm1 x) (- (exp x) 1)", relative(e)).state, State::refuted);
  EXPECT_EQ(judge(pre + ":spec (- (exp x) 1) (expm1 x)", relative(e)).state, State::proved);
  EXPECT_EQ(judge(pre + ":spec (log1p x) (log (+ 1 x))", relative(e)).state, State::refuted);
  EXPECT_EQ(judge(pre + ":spec (- 1 (cos x)) (- 1 (cos x))", relative(e)).state, State::refuted);
  EXPECT_EQ(judge("(x) :precision binary64 :pre (<= 0.1 x 0.3) (* x 0.7)", relative(e)).state, State::proved);
}

// Relative tolerances where a function runs into its tail: the part that is absolute is far below it.
TEST(NearZero, RelativeTolerancesReachIntoTails) {
  const contract::Tolerance mixed =
      relative(Rational(1, 100000), Rational(1, 1000000000) * Rational(1, 1000000000));
  const std::string pre = "(x) :precision binary32 :pre (<= -8 x 10) ";
  const std::string by_erfc = "(* (* 0.5 x) (erfc (- (* x SQRT1_2))))",
                    by_erf = "(* (* 0.5 x) (+ 1 (erf (* x SQRT1_2))))";
  EXPECT_EQ(judge(pre + ":spec " + by_erf + " " + by_erfc, mixed).state, State::proved);
  EXPECT_EQ(judge(pre + ":spec " + by_erfc + " " + by_erf, mixed).state, State::refuted);
  // Divided into binades, not into equal parts.
  EXPECT_EQ(judge("(x y) :precision binary64 :pre (and (<= 1e-5 x 1e5) (<= 1e-5 y 1e5)) (/ x (+ x y))",
                  relative(Rational(1, 1000000000)))
                .state,
            State::proved);
}

// exp((x - m) / t) / (exp((x - m) / t) + exp((y - m) / t)) is 1 / (1 + exp((y - x) / t)).
TEST(NearZero, AQuotientInAnExponentIsOneForm) {
  const std::string pre = "(x y t) :precision binary32 :pre (and (<= -10 x 10) (<= -10 y 10) (<= 0.1 t 1)) ";
  const auto body = [](const std::string& second) {
    return "(let ((m (fmax x y))) (let ((a (exp (/ (- x m) t))) (b (exp (/ (- " + second +
           " m) t)))) (/ a (+ a b))))";
  };
  const std::string meant = ":spec (/ 1 (+ 1 (exp (/ (- y x) t)))) ";
  EXPECT_EQ(judge(pre + meant + body("y"), absolute(Rational(1, 1000)), 3000).state, State::proved);
  EXPECT_EQ(judge(pre + meant + body("x"), absolute(Rational(1, 1000)), 300).state, State::refuted);
  EXPECT_EQ(judge(pre + ":spec (/ 1 (+ 1 (exp (/ (- y x) (* t t))))) " + body("y"),
                  absolute(Rational(1, 1000)), 300)
                .state,
            State::refuted);
}

}  // namespace
}  // namespace hallmark::numerics
