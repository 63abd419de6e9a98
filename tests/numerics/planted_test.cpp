// The planted cases: formulations that look right and are not have to be refuted by an executed input, and
// their sound twins proved. A proof of one of the former is a soundness failure.
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

Term x_at(Term k) {
  return real_load("x", {k});
}
Term mul(Term a, Term b) {
  return apply(Op::mul, {a, b});
}
Term plus(Term a, Term b) {
  return apply(Op::add, {a, b});
}
Term sub(Term a, Term b) {
  return apply(Op::sub, {a, b});
}
Term div(Term a, Term b) {
  return apply(Op::div, {a, b});
}

formulation::Options ordered(const Order* order, bool fused = true) {
  formulation::Options options;
  options.default_order = order;
  options.fused_multiply_add = fused;
  return options;
}
// 32 lanes, then a tree over the lanes.
const Order* lanes() {
  const Order* tree = make_order({Order::Kind::tree, integer(32L), nullptr, nullptr, {}});
  return make_order({Order::Kind::strided, integer(32L), tree, nullptr, {}});
}
// Blocks of the given length in sequence, their results in sequence: split-K.
const Order* split(long block) {
  return make_order({Order::Kind::blocked, integer(block), seq_order(), seq_order(), {}});
}

Program softmax(long n, bool shifted) {
  Builder b;
  const std::size_t size = static_cast<std::size_t>(n);
  b.input("x", {n});
  if (shifted) b.define("m", {}, max_over(size, x_at));
  const Term argument = shifted ? sub(x_at(axis(0)), real_load("m", {})) : x_at(axis(0));
  b.define("e", {n}, apply(Op::exp, {argument}));
  b.define("s", {}, over(size, [](Term k) { return real_load("e", {k}); }));
  b.define("y", {n}, div(real_load("e", {axis(0)}), real_load("s", {})));
  return b.program;
}

Program layer_norm(long n, bool one_pass) {
  Builder b;
  const std::size_t size = static_cast<std::size_t>(n);
  b.input("x", {n});
  b.define("m", {}, div(over(size, x_at), real(n)));
  const Term m = real_load("m", {});
  if (one_pass)
    b.define("v", {}, sub(div(over(size, [](Term k) { return mul(x_at(k), x_at(k)); }), real(n)), mul(m, m)));
  else
    b.define("v", {},
             div(over(size,
                      [&](Term k) {
                        const Term d = sub(x_at(k), m);
                        return mul(d, d);
                      }),
                 real(n)));
  b.define("y", {n},
           div(sub(x_at(axis(0)), m),
               apply(Op::sqrt, {plus(real_load("v", {}), real_constant(Rational(1, 100000)))})));
  return b.program;
}

Program dot(long n, Format stored, Format out) {
  Builder b;
  b.input("x", {n}, stored).input("w", {n}, stored);
  b.define("d", {},
           over(static_cast<std::size_t>(n), [](Term k) { return mul(x_at(k), real_load("w", {k})); }), out);
  return b.program;
}

Rational ulps(long n, int exponent) {
  return exact_rational(std::ldexp(static_cast<double>(n), exponent));
}

// ---- refuted
// -----------------------------------------------------------------------------------------------

TEST(Planted, ANaiveSoftmaxOverflowsAtTheFirstInputWhoseExponentialIsInfinite) {
  const Program p = softmax(4, false);
  const Rational edge = exact_rational(88.72283935546875);
  const Admitted a = admit(p, with_tolerance(boxes(p, -edge, edge), Rational(1, 1000)));
  const Outcome& range = a.of("range/e/plan");
  EXPECT_EQ(range.state, State::refuted) << range.detail;
  ASSERT_TRUE(range.witness.has_value());
  EXPECT_EQ(a.of("tolerance/y/model").state, State::refuted) << a.of("tolerance/y/model").detail;
  // One float below, the exponential itself is finite.
  const Rational below = exact_rational(std::nextafter(88.72283935546875f, 0.0f));
  EXPECT_NE(admit(p, with_tolerance(boxes(p, -below, below), Rational(1, 1000))).of("range/e/plan").state,
            State::refuted);
}

TEST(Planted, ANaiveSoftmaxOfARowOfEightyTwosIsAllZero) {
  const Program p = softmax(1024, false);
  const Admitted a = admit(p, with_tolerance(boxes(p, 82, 82), Rational(1, 2000)));
  EXPECT_EQ(a.of("range/e/plan").state, State::proved) << a.of("range/e/plan").detail;
  EXPECT_EQ(a.of("tolerance/y/model").state, State::refuted) << a.of("tolerance/y/model").detail;
}

TEST(Planted, AOnePassLayerNormIsRefutedOnceItsMeanIsLarge) {
  for (const long mean : {40, 100, 10000}) {
    const Program p = layer_norm(64, true);
    const Admitted a =
        admit(p, with_tolerance(boxes(p, mean - 4, mean + 4), Rational(1, 1000)), ordered(lanes(), false));
    const Outcome& o = a.of("tolerance/y/model");
    EXPECT_EQ(o.state, State::refuted) << mean << ": " << o.detail;
    EXPECT_TRUE(o.witness.has_value());
  }
}

TEST(Planted, HalfPrecisionAccumulationStagnatesAt2048) {
  const Program p = dot(2048, Format::f16, Format::f16);
  formulation::Options options;
  options.compute = Format::f16;
  const Admitted a = admit(p, with_tolerance(boxes(p, 0, 1), 0, Rational(1, 10)), options);
  EXPECT_EQ(a.of("tolerance/d/model").state, State::refuted) << a.of("tolerance/d/model").detail;
}

TEST(Planted, EightBitAccumulationIsRefutedAndPromotionProved) {
  const Program p = dot(64, Format::f8e4m3, Format::f32);
  formulation::Options narrow;
  narrow.compute = Format::f8e4m3;
  narrow.storage["d"] = Format::f8e4m3;
  const contract::Contract c = with_tolerance(boxes(p, 0, 1), Rational(1, 100), Rational(1, 100));
  const Admitted refuted = admit(p, c, narrow);
  EXPECT_EQ(refuted.of("tolerance/d/model").state, State::refuted) << refuted.of("tolerance/d/model").detail;
  const Admitted proved = admit(p, c);
  EXPECT_EQ(proved.of("tolerance/d/model").state, State::proved) << proved.of("tolerance/d/model").detail;
}

// ---- as expressions: a function computed by another one

ExpressionReport against(const std::string& text, const contract::Tolerance& tolerance) {
  ExpressionModel model;
  model.inputs_rounded = false;
  WitnessSearch search;
  search.samples = 3000;
  search.tolerance = tolerance;
  BoundOptions options;
  options.evaluations = 100;
  return bound_expression(read_fpcores(text, "t.fpcore").at(0), model, options, search);
}
contract::Tolerance units(long n) {
  contract::Tolerance out;
  out.ulp = Rational(n);
  return out;
}

// __expf(x) is ex2.approx of the rounded product; even with a correctly rounded ex2 it is off by more.
TEST(Planted, TheFastExponentialLeavesTenUnitsAtMinusTwenty) {
  const ExpressionReport report = against(
      "(FPCore (x) :precision binary32 :pre (<= -20.5 x -20) :spec (exp x) (exp2 (* x LOG2E)))", units(10));
  ASSERT_TRUE(report.verdict);
  EXPECT_EQ(*report.verdict, State::refuted) << as_text(Expression{}, {}, report);
}

TEST(Planted, TwoToThePowerThroughTheExponentialIsRefuted) {
  const ExpressionReport report = against(
      "(FPCore (x) :precision binary32 :pre (<= -120 x 120) :spec (exp2 x) (exp (* x LN2)))", units(4));
  ASSERT_TRUE(report.verdict);
  EXPECT_EQ(*report.verdict, State::refuted) << report.verdict_text;
}

TEST(Planted, TheTangentFormOfGeluIsRefutedBelowItsDistance) {
  contract::Tolerance tolerance;
  const std::string gelu =
      "(FPCore (x) :precision binary32 :pre (<= -10 x 10) :spec (* (* 0.5 x) (+ 1 (erf (* x SQRT1_2)))) "
      "(* (* 0.5 x) (+ 1 (tanh (* 0.7978845608 (+ x (* 0.044715 (* x (* x x)))))))))";
  tolerance.absolute = Rational(47, 100000);
  EXPECT_EQ(*against(gelu, tolerance).verdict, State::refuted);
  // 4.7324e-4 is the distance; a tolerance above is not refuted.
  tolerance.absolute = Rational(48, 100000);
  EXPECT_EQ(*against(gelu, tolerance).verdict, State::unrun);
}

// y3 of F(4,3), tiles and transformed filters kept in f16: the factor 8 meets coarse roundings.
TEST(Planted, WinogradOfFourOutputsInHalfPrecisionIsRefuted) {
  const std::string winograd =
      "(FPCore (d1 d2 d3 d4 d5 g0 g1 g2) :precision binary16 :pre (and (<= -1 d1 1) (<= -1 d2 1) (<= -1 d3 "
      "1) "
      "(<= -1 d4 1) (<= -1 d5 1) (<= -1 g0 1) (<= -1 g1 1) (<= -1 g2 1)) "
      ":spec (+ (+ (* d3 g0) (* d4 g1)) (* d5 g2)) "
      "(let* ((t1 (+ (- (- d4 (* 4 d2)) (* 4 d1)) d3)) (t2 (- (+ (- d4 (* 4 d2)) (* 4 d1)) d3)) "
      "(t3 (+ (- (- d4 d2) (* 2 d1)) (* 2 d3))) (t4 (- (+ (- d4 d2) (* 2 d1)) (* 2 d3))) "
      "(t5 (+ (- (* 4 d1) (* 5 d3)) d5)) "
      "(u1 (/ (- (+ (+ g0 g1) g2)) 6)) (u2 (/ (- (- g1 g0) g2) 6)) "
      "(u3 (+ (+ (/ g0 24) (/ g1 12)) (/ g2 6))) (u4 (+ (- (/ g0 24) (/ g1 12)) (/ g2 6)))) "
      "(+ (+ (- (* t1 u1) (* t2 u2)) (* 8 (- (* t3 u3) (* t4 u4)))) (* t5 g2)))";
  const Expression e = read_fpcores(winograd + ")", "t.fpcore").at(0);
  // Over the reals it is the convolution.
  const std::vector<double> zero{0, 0, 0, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 5; j < 8; ++j) {
      std::vector<double> unit = zero;
      unit[i] = unit[j] = 1;
      EXPECT_NEAR(execute(e, unit).value(), i == j - 3 ? 1.0 : 0.0, 0.02) << i << " " << j;
    }
  contract::Tolerance tolerance;
  tolerance.absolute = Rational(1, 1000);
  EXPECT_EQ(*against(winograd + ")", tolerance).verdict, State::refuted);
}

// ---- proved
// ------------------------------------------------------------------------------------------------

TEST(Planted, SplitKInSinglePrecisionIsProved) {
  const Program p = dot(512, Format::f16, Format::f32);
  // Height 8 + 64: 72u of the sum of magnitudes, 512.
  const Admitted a = admit(p, with_tolerance(boxes(p, -1, 1), ulps(72 * 512, -24)), ordered(split(64)));
  EXPECT_EQ(a.of("tolerance/d/model").state, State::proved) << a.of("tolerance/d/model").detail;
}

TEST(Planted, ASoftmaxOverThirtyTwoLanesIsProved) {
  const Program p = softmax(1024, true);
  const Admitted a = admit(p, with_tolerance(boxes(p, -10, 10), 0, ulps(100, -24)), ordered(lanes()));
  EXPECT_EQ(a.of("tolerance/y/model").state, State::proved) << a.of("tolerance/y/model").detail;
}

TEST(Planted, ATwoPassLayerNormIsProved) {
  const Program p = layer_norm(64, false);
  const Admitted a = admit(p, with_tolerance(boxes(p, -4, 4), Rational(1, 100)), ordered(lanes(), false));
  EXPECT_EQ(a.of("tolerance/y/model").state, State::proved) << a.of("tolerance/y/model").detail;
}

}  // namespace
}  // namespace hallmark::numerics
