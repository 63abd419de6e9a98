// Bounds of expressions: the FPBench rows against published bounds, certificates and their forgeries, and the
// rounding model at its corners.
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/files.h"
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"

namespace hallmark::numerics {
namespace {

Expression shipped(const std::string& name) {
  const std::string path =
      std::string(HALLMARK_SOURCE_DIR) + "/corpus/accuracy/expressions/" + name + ".fpcore";
  return read_fpcores(read_file(path), path).at(0);
}
Expression core(const std::string& text) {
  return read_fpcores(text, "t.fpcore").at(0);
}
Rational bound_of(const std::string& text, const ExpressionModel& model = {}) {
  const ExpressionReport report = bound_expression(core(text), model);
  EXPECT_TRUE(report.proved) << report.reason;
  return report.bound;
}

// The column of design/fpbench-bounds.tsv: FPTaylor's binade model where it is filled, else the prototype;
// and the error of the witness there, both with inputs rounded.
struct Row {
  const char *name, *file;
  double published, witness;
};
const Row rows[] = {{"doppler1", "doppler1", 1.36e-13, 1.030e-13},
                    {"doppler2", "doppler2", 2.45e-13, 1.784e-13},
                    {"doppler3", "doppler3", 6.94e-14, 5.904e-14},
                    {"rigidBody1", "rigidBody1", 2.95e-13, 2.546e-13},
                    {"rigidBody2", "rigidBody2", 3.61e-11, 2.530e-11},
                    {"verhulst", "verhulst", 2.50e-16, 2.428e-16},
                    {"predatorPrey", "predatorPrey", 1.59e-16, 1.476e-16},
                    {"carbonGas", "carbonGas", 8.27e-09, 4.110e-09},
                    {"turbine1", "turbine1", 1.652e-14, 1.025e-14},
                    {"turbine2", "turbine2", 1.945e-14, 1.167e-14},
                    {"turbine3", "turbine3", 9.547e-15, 5.368e-15},
                    {"jetEngine", "jet", 1.088e-11, 6.316e-12},
                    {"himmilbeau", "himmilbeau", 1.000e-12, 6.659e-13},
                    {"kepler0", "kepler0", 7.47e-14, 4.408e-14},
                    {"kepler1", "kepler1", 2.71e-13, 1.221e-13},
                    {"kepler2", "kepler2", 1.58e-12, 6.902e-13},
                    {"sine", "sine", 4.43e-16, 2.802e-16},
                    {"sineOrder3", "sineOrder3", 7.95e-16, 3.800e-16},
                    {"sqroot", "sqroot", 5.02e-16, 4.464e-16},
                    {"t_div_t1", "t_div_t1", 1.680e-16, 1.663e-16}};

TEST(ExpressionRows, TheAlgebraicOnesAreWithinOnePercentOfThePublishedBounds) {
  for (const Row& row : rows) {
    const ExpressionReport report = bound_expression(shipped(row.file), {});
    ASSERT_TRUE(report.proved) << row.name << ": " << report.reason;
    EXPECT_LE(report.bound.get_d(), 1.01 * row.published) << row.name;
    EXPECT_GE(report.bound.get_d(), row.witness) << row.name;
    ASSERT_TRUE(report.witness.has_value()) << row.name;
    EXPECT_GE(report.bound, report.witness->error) << row.name;
    EXPECT_LE(report.ratio, 2.3) << row.name;
  }
}

TEST(ExpressionRows, ALibraryCallOfOneUnitCostsMoreThanACorrectlyRoundedOne) {
  ExpressionModel half;
  half.call_ulps = Rational(1, 2);
  const Expression e = shipped("logexp");
  WitnessSearch search;
  search.samples = 100;
  EXPECT_GT(bound_expression(e, {}, {}, search).bound, bound_expression(e, half, {}, search).bound);
}

// FPBench's dqmom9: errors grow with 1 / w over five decades, and its parts are found binade by binade.
TEST(ExpressionRows, ErrorsThatGrowTowardsAnEndAreFoundThere) {
  std::string ranges, terms = "0";
  for (const char* k : {"0", "1", "2"}) {
    for (const char* of : {"<= -1 m", "<= 1e-5 w", "<= 1e-5 a"}) ranges += std::string(" (") + of + k + " 1)";
    const std::string q = std::string("(/ a") + k + " w" + k + ")";
    terms =
        std::string("(+ (* (* w") + k + " (- 0 m" + k + ")) (* -3 (* " + q + " " + q + "))) " + terms + ")";
  }
  BoundOptions options;
  options.extend = true;
  const ExpressionReport report = bound_expression(
      core("(FPCore (m0 m1 m2 w0 w1 w2 a0 a1 a2) :pre (and" + ranges + ") " + terms + ")"), {}, options);
  ASSERT_TRUE(report.proved && report.witness) << report.reason;
  EXPECT_LE(report.bound.get_d(), 1.1e-9);
  EXPECT_LE(report.ratio, 4);
}

// The jump of a choice, at a real input that is rounded onto the other side of it.
TEST(ExpressionRows, AJumpIsAttained) {
  for (const auto& [text, least] : std::vector<std::pair<std::string, double>>{
           {"(FPCore (x) :pre (< 0 x 10) (if (>= (- (* x x) x) 0) (/ x 10) (+ (* x x) 2)))", 2.899},
           {"(FPCore (x) :pre (< 0 x 10) (if (< x 1e-5) (+ 1 (* 0.5 x)) (sqrt (+ 1 x))))", 1.24e-11}}) {
    const ExpressionReport report = bound_expression(core(text), {});
    ASSERT_TRUE(report.proved && report.witness) << report.reason;
    EXPECT_GE(report.witness->error.get_d(), least);
    EXPECT_LE(report.ratio, 1.01);
  }
}

// ---- the rounding model
// ------------------------------------------------------------------------------------

ExpressionModel exact_inputs() {
  ExpressionModel model;
  model.inputs_rounded = false;
  return model;
}

TEST(ExpressionModelTest, APowerOfTwoStaysInItsBinade) {
  // x * x <= 1 exactly: half a unit below 1 is 2^-54.
  const Rational b = bound_of("(FPCore (x) :pre (<= 0 x 1) (* x x))", exact_inputs());
  EXPECT_GE(b, exact_rational(0x1p-54));
  EXPECT_LE(b, exact_rational(0x1p-54) * Rational(1001, 1000));
}

TEST(ExpressionModelTest, GradualUnderflowIsCharged) {
  // The product is subnormal: half the least positive value, however small the operands.
  const Rational b = bound_of("(FPCore (x) :precision binary32 :pre (<= 0 x 1e-30) (* x x))", exact_inputs());
  EXPECT_GE(b, exact_rational(0x1p-150));
  EXPECT_LE(b, exact_rational(0x1p-149));
  const ExpressionReport report = bound_expression(
      core("(FPCore (x) :precision binary32 :pre (<= 1e-24 x 1e-22) (* x x))"), exact_inputs());
  ASSERT_TRUE(report.proved && report.witness);
  EXPECT_LE(report.ratio, 1.01);
}

TEST(ExpressionModelTest, ScalingByAPowerOfTwoAndSterbenzDifferencesAreExact) {
  EXPECT_EQ(bound_of("(FPCore (x) :pre (<= 1 x 2) (* 0.25 x))", exact_inputs()), 0);
  EXPECT_EQ(bound_of("(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) (- x y))", exact_inputs()), 0);
  EXPECT_GT(bound_of("(FPCore (x y) :pre (and (<= 1 x 2) (<= 0.9 y 2)) (- x y))", exact_inputs()), 0);
}

// The rounding error of the operand that a maximum or minimum takes counts, and only that.
TEST(ExpressionModelTest, MaximumAndMinimumPassTheErrorOfWhatTheyTake) {
  const auto bound = [](const std::string& body) {
    return bound_of("(FPCore (x) :precision binary16 :pre (<= 1 x 2) " + body + ")", exact_inputs());
  };
  const Rational fraction = bound("(/ x 3)"), large = bound("(fma 5 x 3)");
  EXPECT_GT(large, fraction);
  for (const char* operands : {"(/ x 3) (fma 5 x 3)", "(fma 5 x 3) (/ x 3)"}) {
    EXPECT_EQ(bound(std::string("(fmax ") + operands + ")"), large) << operands;
    EXPECT_EQ(bound(std::string("(fmin ") + operands + ")"), fraction) << operands;
  }
}

TEST(ExpressionModelTest, ConstantsAreRounded) {
  EXPECT_GT(bound_of("(FPCore (x) :pre (<= 1 x 1) (* 0.1 1))"), 0);
  EXPECT_EQ(bound_of("(FPCore (x) :pre (<= 1 x 1) (* 0.5 1))"), 0);
}

TEST(ExpressionModelTest, DirectedRoundingCostsAWholeUnit) {
  const char* nearest = "(FPCore (x y) :precision binary32 :pre (and (<= 1 x 1.9) (<= 1 y 1)) (/ x 3))";
  const char* down =
      "(FPCore (x y) :precision binary32 :round toZero :pre (and (<= 1 x 1.9) (<= 1 y 1)) (/ x 3))";
  EXPECT_EQ(bound_of(down, exact_inputs()), 2 * bound_of(nearest, exact_inputs()));
}

TEST(ExpressionModelTest, DomainsAndOverflowHaveNoBound) {
  for (const char* text :
       {"(FPCore (x) :pre (<= -1 x 1) (sqrt x))", "(FPCore (x) :pre (<= -1 x 1) (/ 1 x))",
        "(FPCore (x) :pre (<= 0 x 1) (log x))", "(FPCore (x) :precision binary32 :pre (<= 0 x 1e30) (* x x))",
        "(FPCore (x) :precision binary16 :pre (<= 0 x 1) (+ x 70000))"}) {
    BoundOptions options;
    options.evaluations = 2000;
    const ExpressionReport report = bound_expression(core(text), {}, options);
    EXPECT_FALSE(report.proved) << text;
    EXPECT_FALSE(report.reason.empty());
  }
}

TEST(ExpressionModelTest, AGuardKeepsADomain) {
  const ExpressionReport report =
      bound_expression(core("(FPCore (x) :pre (<= -1 x 1) (if (< x 0.25) 0 (sqrt (- x 0.125))))"), {});
  ASSERT_TRUE(report.proved) << report.reason;
  // The function jumps at 1/4: an input just below it that rounds onto it takes the other branch.
  EXPECT_GE(report.bound, Rational(35, 100));
}

TEST(ExpressionModelTest, AContinuousChoiceHasASmallBound) {
  const ExpressionReport report =
      bound_expression(core("(FPCore (x) :pre (<= -1 x 1) (if (< x 0) (- x) (* x 2)))"), {});
  ASSERT_TRUE(report.proved) << report.reason;
  EXPECT_LE(report.bound, exact_rational(0x1p-50));
}

// ---- certificates
// ------------------------------------------------------------------------------------------

TEST(Certificate, AForgedOneIsRejected) {
  const Expression e = shipped("doppler1");
  const ExpressionModel model;
  const BoundResult found = search_bound(e, model);
  const Rational bound = exact_rational(found.bound * (1 + 1e-9));
  ASSERT_TRUE(check_certificate(e, model, found.partition, bound).holds);
  EXPECT_FALSE(check_certificate(e, model, found.partition, bound * Rational(9, 10)).holds);
  EXPECT_FALSE(check_certificate(e, model, Partition{{{}}}, bound).holds);

  Partition left_out = found.partition;
  for (Partition::Node& node : left_out.nodes)
    if (node.variable < 0) node.excluded = true;
  EXPECT_FALSE(check_certificate(e, model, left_out, bound).holds);

  Partition outside = found.partition;
  outside.nodes[0].at = 1e6;
  EXPECT_FALSE(check_certificate(e, model, outside, bound).holds);

  Partition cyclic = found.partition;
  cyclic.nodes[0].below = 0;
  EXPECT_FALSE(check_certificate(e, model, cyclic, bound).holds);
  Partition dangling = found.partition;
  dangling.nodes[0].above = 1'000'000;
  EXPECT_FALSE(check_certificate(e, model, dangling, bound).holds);
}

TEST(Certificate, TheSameInputGivesTheSameReport) {
  const Expression e = shipped("turbine1");
  const auto text = [&] { return as_text(e, {}, bound_expression(e, {})); };
  EXPECT_EQ(text(), text());
}

// ---- the reader
// --------------------------------------------------------------------------------------------

TEST(FPCore, ErrorsHaveALineAndACaret) {
  const std::pair<const char*, const char*> wrong[] = {
      {"(FPCore (x) :pre (<= 0 x 1) (+ x y))", "E8103"},
      {"(FPCore (x)\n (+ x 1))", "E8104"},
      {"(FPCore (x) :pre (<= 1 x 0) x)", "E8105"},
      {"(FPCore (x) :precision binary65 :pre (<= 0 x 1) x)", "E8106"},
      {"(FPCore (x) :pre (<= 0 x 1) (+ x))", "E8107"},
      {"(FPCore (x) :pre (<= 0 x 1) (+ x 1)", "E8101"},
      {"(FPCore (x) :pre (<= 0 x 1) (while (< k x) ((k 0 (+ k 1))) k))", "E8108"},
      {"(FPCore (x) :pre (<= 0 x 1) (lgamma x))", "E8108"},
      {"(FPCore (x x) :pre (<= 0 x 1) x)", "E8102"}};
  for (const auto& [text, code] : wrong) {
    try {
      core(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << text;
      EXPECT_GT(error.where().line, 0u);
      EXPECT_NE(error.render().find('^'), std::string::npos) << error.render();
    }
  }
}

TEST(FPCore, APreconditionThatNothingMeetsIsVacuous) {
  EXPECT_THROW(bound_expression(core("(FPCore (x) :pre (and (<= 0 x 1) (< (* x x) -1)) x)"), {}), UserError);
}

TEST(FPCore, LetIsParallelAndLetStarIsNot) {
  const Expression a = core("(FPCore (x) :pre (<= 0 x 1) (let ((x 2) (y x)) (+ x y)))");
  const Expression b = core("(FPCore (x) :pre (<= 0 x 1) (let* ((x 2) (y x)) (+ x y)))");
  EXPECT_EQ(execute(a, {0.5}), 2.5);
  EXPECT_EQ(execute(b, {0.5}), 4.0);
}

}  // namespace
}  // namespace hallmark::numerics
