#include "numerics/reference.h"

#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

Term x_at(Term k) {
  return real_load("x", {k});
}

Point point_of(const std::vector<double>& values) {
  Point p;
  p.inputs["x"] = tensor(Format::f32, {static_cast<std::int64_t>(values.size())}, values);
  return p;
}

TEST(Reference, RaisesThePrecisionUntilCancellationIsResolved) {
  // (x0 + x1) - x0 - x1 + e^-200: everything cancels but the last.
  Builder b;
  b.input("x", {2});
  const Term tiny = apply(Op::exp, {real(-200)});
  const Term a = x_at(integer(0L)), c = x_at(integer(1L));
  const Term big = apply(Op::exp, {a});
  b.define("y", {}, apply(Op::sub, {apply(Op::add, {big, tiny}), big}));
  const Point p = point_of({50, 3});
  const ReferenceValue v = Reference(b.program, p).element("y", {});
  ASSERT_EQ(v.kind, ReferenceValue::Kind::real) << v.reason;
  EXPECT_GT(v.precision, 200);
  EXPECT_TRUE(intersect(*v.real, exp(Interval(Rational(-200), 2000))).has_value());
  (void)c;
}

TEST(Reference, SaysWhatIsCertainlyNotDefined) {
  Builder b;
  b.input("x", {1});
  b.define("q", {}, apply(Op::div, {real(1), x_at(integer(0L))}));
  b.define("r", {}, apply(Op::sqrt, {x_at(integer(0L))}));
  b.define("m", {}, max_over(0, x_at));
  const Point zero = point_of({0}), negative = point_of({-1});
  EXPECT_EQ(Reference(b.program, zero).element("q", {}).kind, ReferenceValue::Kind::undefined);
  EXPECT_EQ(Reference(b.program, zero).element("r", {}).kind, ReferenceValue::Kind::real);
  EXPECT_EQ(Reference(b.program, negative).element("r", {}).kind, ReferenceValue::Kind::undefined);
  EXPECT_EQ(Reference(b.program, zero).element("m", {}).kind, ReferenceValue::Kind::undefined);
  EXPECT_EQ(Reference(b.program, zero).element("m", {}).reason, "a maximum or minimum over an empty range");
}

TEST(Reference, DoesNotGuessAnUndecidedComparison) {
  // sqrt(2)^2 < 2 cannot be decided by intervals at any precision.
  Builder b;
  b.input("x", {1});
  const Term root = apply(Op::sqrt, {x_at(integer(0L))});
  const Term condition = compare(Op::lt, apply(Op::mul, {root, root}), x_at(integer(0L)));
  b.define("y", {}, select(condition, real(1), real(0)));
  const Point two = point_of({2}), four = point_of({4});
  EXPECT_EQ(Reference(b.program, two).element("y", {}).kind, ReferenceValue::Kind::unresolved);
  EXPECT_EQ(Reference(b.program, four).element("y", {}).real->exact_low(), 0);
}

TEST(Reference, StopsAtItsWorkLimit) {
  Builder b;
  b.input("x", {100});
  b.define("y", {}, over(100, x_at));
  ReferenceOptions options;
  options.work_limit = 50;
  const Point p = point_of(std::vector<double>(100, 1));
  EXPECT_EQ(Reference(b.program, p, options).element("y", {}).kind, ReferenceValue::Kind::unresolved);
  EXPECT_EQ(Reference(b.program, p).element("y", {}).real->exact_high(), 100);
}

// The walk keeps values of inner folds while outer variables change; a wrong reuse would show here.
TEST(Reference, AgreesWithRationalEvaluationOnNestedFolds) {
  Builder b;
  b.input("x", {5});
  const Term i = axis(0);
  // sum over j of x[j] * (sum over k of x[k] * j + i) * max over k of x[k]
  b.define("y", {3}, over(5, [&](Term j) {
             const Term inner = over(5, [&](Term k) {
               return apply(Op::add, {apply(Op::mul, {x_at(k), from_index(j, Sort::real())}),
                                      from_index(i, Sort::real())});
             });
             return apply(Op::mul, {apply(Op::mul, {x_at(j), inner}), max_over(5, x_at)});
           }));
  const Point p = point_of({0.5, -1.25, 3, 7, -2});
  evaluator::Options rationals;
  rationals.reals = evaluator::Reals::exact;
  const auto exact = evaluator::evaluate(b.program, {}, as_tensors(p), rationals);
  Reference reference(b.program, p);
  for (std::int64_t e = 0; e < 3; ++e)
    EXPECT_TRUE(reference.element("y", {e}).real->contains(exact.at("y").exact(e)));
}

TEST(Reference, AnAuthoredCastIsAStepFunctionUnlessTheContractSaysStorage) {
  Builder b;
  b.input("x", {1});
  b.define("y", {}, cast(x_at(integer(0L)), Sort::real(), Format::f16));
  const Point p = point_of({0.1});
  const Rational tenth = exact_rational(static_cast<double>(0.1F));
  EXPECT_NE(Reference(b.program, p).element("y", {}).real->exact_low(), tenth);
  ReferenceOptions storage;
  storage.casts = contract::Casts::storage;
  EXPECT_EQ(Reference(b.program, p, storage).element("y", {}).real->exact_low(), tenth);
}

}  // namespace
}  // namespace hallmark::numerics
