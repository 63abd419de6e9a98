// The numerical cases of the shared folder (cases/numerics): same claims, same verdicts. The numbers are in
// their files; here they are built as programs.
#include <filesystem>
#include <fstream>

#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

formulation::Options plain() {
  formulation::Options options;
  options.fused_multiply_add = false;
  return options;
}

Term mul(Term a, Term b) {
  return apply(Op::mul, {a, b});
}
Term sub(Term a, Term b) {
  return apply(Op::sub, {a, b});
}
Term div(Term a, Term b) {
  return apply(Op::div, {a, b});
}
Term x_at(Term k) {
  return real_load("x", {k});
}

// ---- N-01: one-pass variance
// -----------------------------------------------------------------------------------

Program one_pass(long n, bool normalise) {
  Builder b;
  b.input("x", {n});
  b.define("m", {}, div(over(static_cast<std::size_t>(n), x_at), real(n)));
  b.define("v", {},
           sub(div(over(static_cast<std::size_t>(n), [](Term k) { return mul(x_at(k), x_at(k)); }), real(n)),
               mul(real_load("m", {}), real_load("m", {}))));
  if (normalise)
    b.define(
        "y", {n},
        div(sub(x_at(axis(0)), real_load("m", {})),
            apply(Op::sqrt, {apply(Op::add, {real_load("v", {}), real_constant(Rational(1, 100000))})})));
  return b.program;
}

Program two_pass(long n) {
  Builder b;
  b.input("x", {n});
  b.define("m", {}, div(over(static_cast<std::size_t>(n), x_at), real(n)));
  b.define("v", {},
           div(over(static_cast<std::size_t>(n),
                    [](Term k) {
                      const Term d = sub(x_at(k), real_load("m", {}));
                      return mul(d, d);
                    }),
               real(n)));
  return b.program;
}

const Rational one_thousandth(1, 1000);

TEST(CaseN01, OnePassVarianceIsRefuted) {
  const Program p = one_pass(4, false);
  const Admitted a = admit(p, with_tolerance(boxes(p, 0, 65536), one_thousandth, one_thousandth), plain());
  const Outcome& o = a.of("tolerance/v/model");
  EXPECT_EQ(o.state, State::refuted) << o.detail;
  ASSERT_TRUE(o.witness.has_value());
  EXPECT_EQ(o.witness->executed_by, "evaluator");
}

TEST(CaseN01, TheRootOfANegativeVarianceIsRefutedAsAnObligationOfItsOwn) {
  const Program p = one_pass(4, true);
  const Admitted a = admit(p, with_tolerance(boxes(p, 0, 65536), one_thousandth, one_thousandth), plain());
  EXPECT_EQ(a.of("defined/y/plan").state, State::refuted) << a.of("defined/y/plan").detail;
  EXPECT_NE(a.of("defined/y/plan").detail.find("sqrt"), std::string::npos);
  EXPECT_NE(a.of("range/y/plan").state, State::proved);
}

TEST(CaseN01, TheWitnessOfTheCaseGivesItsValues) {
  const Program p = one_pass(4, false), q = two_pass(4);
  Point point;
  point.inputs["x"] = tensor(Format::f32, {4}, {40000, 40001, 40002, 40003});
  const auto one = simulate(formulation::formulate(p, plain()).program, point);
  const auto two = simulate(formulation::formulate(q, plain()).program, point);
  EXPECT_EQ(element_value(one.at("v"), 0), Rational(-128));
  EXPECT_EQ(element_value(two.at("v"), 0), Rational(5, 4));
  EXPECT_EQ(Reference(q, point).element("v", {}).real->exact_low(), Rational(5, 4));
  EXPECT_EQ(Reference(p, point).element("v", {}).real->exact_high(), Rational(5, 4));
}

TEST(CaseN01, ASmallRangeAdmitsOnePass) {
  const Program p = one_pass(4, false);
  const Admitted a = admit(p, with_tolerance(boxes(p, 0, 1), one_thousandth, one_thousandth), plain());
  EXPECT_EQ(a.of("tolerance/v/model").state, State::proved) << a.of("tolerance/v/model").detail;
}

TEST(CaseN01, ManyEqualValuesGiveANegativeVariance) {
  const Program p = one_pass(256, false);
  Point point;
  point.inputs["x"] = tensor(Format::f32, {256}, std::vector<double>(256, 1234.0));
  const auto out = simulate(formulation::formulate(p, plain()).program, point);
  EXPECT_EQ(element_value(out.at("v"), 0), Rational(-13, 4));
}

// ---- N-03: running sum in a low precision
// ------------------------------------------------------------------------

Program reciprocal_of_count(long n, Format format) {
  Builder b;
  b.define("s", {}, over(static_cast<std::size_t>(n), [](Term) { return real(1); }), format);
  b.define("y", {}, div(real(1), real_load("s", {})), format);
  return b.program;
}

Outcome running_sum(long n, Format compute, Format stored) {
  const Program p = reciprocal_of_count(n, stored);
  formulation::Options options = plain();
  options.compute = compute;
  // The sum itself stays in the format of the accumulator.
  options.storage["s"] = compute;
  const Admitted a = admit(p, with_tolerance(contract::Contract{}, 0, Rational(1, 128)), options);
  return a.of("tolerance/y/model");
}

TEST(CaseN03, LowPrecisionRunningSumsAreRefutedOnceTheyStagnate) {
  EXPECT_EQ(running_sum(512, Format::bf16, Format::bf16).state, State::refuted);
  EXPECT_EQ(running_sum(4096, Format::f16, Format::f16).state, State::refuted);
}

TEST(CaseN03, ExactSumsAndWideAccumulatorsAreAdmitted) {
  const Outcome wide = running_sum(512, Format::f32, Format::bf16);
  EXPECT_EQ(wide.state, State::proved) << wide.detail;
  const Outcome narrow = running_sum(256, Format::bf16, Format::bf16);
  EXPECT_EQ(narrow.state, State::proved) << narrow.detail;
}

// ---- N-05: relative tolerance under cancellation
// -----------------------------------------------------------------

TEST(CaseN05, ARelativeToleranceCannotBeMetUnderCancellation) {
  Builder b;
  b.input("x", {3}).define("s", {}, over(3, x_at));
  const Rational limit(Integer(1) << 27);
  const Admitted a =
      admit(b.program, with_tolerance(boxes(b.program, -limit, limit), 0, Rational(1, 100)), plain());
  EXPECT_EQ(a.of("tolerance/s/model").state, State::refuted);
}

TEST(CaseN05, TheStandardBoundHoldsForEveryOrder) {
  Builder b;
  b.input("x", {3}).define("s", {}, over(3, x_at));
  const Rational limit(Integer(1) << 27);
  // 3 * 2^-24 * (|a| + |b| + |c|) at the corner, where it is greatest and the general bound is attained.
  const Rational tolerance = 3 * limit * 3 / Rational(Integer(1) << 24);
  for (const Order* order :
       {seq_order(), make_order({Order::Kind::tree, integer(4L), nullptr, nullptr, {}})}) {
    formulation::Options options = plain();
    options.default_order = order;
    const Admitted a = admit(b.program, with_tolerance(boxes(b.program, -limit, limit), tolerance), options);
    EXPECT_EQ(a.of("tolerance/s/model").state, State::proved) << a.of("tolerance/s/model").detail;
  }
}

// ---- N-08: a finite sentinel in a running maximum
// ----------------------------------------------------------------

Program sentinel_softmax() {
  Builder b;
  b.input("z", {2});
  const auto z = [](Term k) { return real_load("z", {k}); };
  b.define("m", {}, apply(Op::max, {real(-50000), max_over(2, z)}));
  b.define("p", {2}, apply(Op::exp, {sub(z(axis(0)), real_load("m", {}))}));
  b.define("s", {}, over(2, [](Term k) { return real_load("p", {k}); }));
  b.define("y", {2}, div(real_load("p", {axis(0)}), real_load("s", {})));
  return b.program;
}

TEST(CaseN08, ASentinelAboveTheDataIsRefuted) {
  const Program p = sentinel_softmax();
  const Admitted a = admit(p, with_tolerance(boxes(p, -100000, 0), one_thousandth), plain());
  EXPECT_EQ(a.of("tolerance/y/model").state, State::refuted) << a.of("tolerance/y/model").detail;
  EXPECT_EQ(a.of("defined/y/plan").state, State::refuted) << a.of("defined/y/plan").detail;
}

TEST(CaseN08, ASentinelBelowTheDataIsAdmitted) {
  const Program p = sentinel_softmax();
  const Admitted a = admit(p, with_tolerance(boxes(p, -40000, 0), one_thousandth), plain());
  EXPECT_EQ(a.of("defined/y/plan").state, State::proved) << a.of("defined/y/plan").detail;
  EXPECT_EQ(a.of("tolerance/y/model").state, State::proved) << a.of("tolerance/y/model").detail;
}

// ---- N-10: contraction
// ------------------------------------------------------------------------------------------

// x * x - y * y as authored, and as fma(x, x, -fl(y * y)).
Program difference_of_squares() {
  Builder b;
  b.input("x", {}).input("y", {});
  const Term x = real_load("x", {}), y = real_load("y", {});
  b.define("d", {}, sub(mul(x, x), mul(y, y)));
  return b.program;
}

TEST(CaseN10, ContractionIsAnotherFormulationAndWithinTwoUnits) {
  const Program exact = difference_of_squares();
  const Program uncontracted = formulation::formulate(exact, plain()).program;
  Program contracted = uncontracted;
  const Sort f32 = Sort::floating(Format::f32);
  const Term x = load("x", {}, f32), y = load("y", {}, f32);
  contracted.definitions[0].body = apply(Op::fma, {x, x, apply(Op::neg, {apply(Op::mul, {y, y})})});

  Point point;
  point.inputs["x"] = point.inputs["y"] = tensor(Format::f32, {}, {0.1});
  EXPECT_EQ(element_value(simulate(uncontracted, point).at("d"), 0), Rational(0));
  EXPECT_NEAR(std::abs(element_value(simulate(contracted, point).at("d"), 0)->get_d()), 4.097819306e-10,
              1e-18);

  const contract::Contract box = boxes(exact, -1, 1);
  const ProgramResult result = analyse({contracted, box, nullptr, nullptr, nullptr, nullptr}, Pass::composed);
  EXPECT_TRUE(high_at_most(result.at("d").value->absolute, Interval::power_of_two(-24)))
      << upper_text(result.at("d").value->absolute);
}

// The files say what is expected; a case that is added there without a test here shows up.
TEST(Cases, EveryCaseFileHasATest) {
  const char* given = std::getenv("HALLMARK_SHARED");
  const std::filesystem::path shared = given != nullptr
                                           ? std::filesystem::path(given)
                                           : std::filesystem::path(HALLMARK_SOURCE_DIR) / ".." / "shared";
  if (!std::filesystem::exists(shared / "cases" / "numerics"))
    GTEST_SKIP() << "the shared folder is not there";
  const std::vector<std::string> known{"N-01", "N-03", "N-05", "N-08", "N-10"};
  for (const auto& entry : std::filesystem::directory_iterator(shared / "cases" / "numerics")) {
    const std::string id = entry.path().filename().string().substr(0, 4);
    EXPECT_NE(std::find(known.begin(), known.end(), id), known.end()) << entry.path();
  }
}

}  // namespace
}  // namespace hallmark::numerics
