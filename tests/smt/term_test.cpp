#include "smt/term.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "smt/evaluate.h"
#include "smt/query.h"

namespace hallmark::smt {
namespace {

TEST(Term, EqualStructureIsOneNode) {
  Arena a;
  const Term x = a.integer_variable("x"), y = a.integer_variable("y");
  EXPECT_EQ(add(x, y), add(x, y));
  EXPECT_NE(add(x, y), add(y, x));
  EXPECT_EQ(a.integer(3), a.integer(3));
  EXPECT_NE(a.integer(3), a.real(3));
  EXPECT_EQ(a.bit_vector(-1, 8), a.bit_vector(255, 8));
  EXPECT_EQ(Sort::uninterpreted("J"), Sort::uninterpreted("J"));
  EXPECT_NE(Sort::uninterpreted("J"), Sort::uninterpreted("K"));
}

TEST(Term, ConstructorsFoldConstantsAndNeutralElementsOnly) {
  Arena a;
  const Term x = a.integer_variable("x"), p = a.variable("p", Sort::boolean());
  EXPECT_EQ(add(x, 0L), x);
  EXPECT_EQ(multiply(1, x), x);
  EXPECT_EQ(multiply(0, x), a.integer(0));
  EXPECT_EQ(a.sum({a.integer(2), x, a.integer(5)}), a.sum({a.integer(7), x}));
  EXPECT_EQ(conjunction(p, a.boolean(true)), p);
  EXPECT_TRUE(conjunction(p, a.boolean(false)).is_false());
  EXPECT_EQ(conjunction(p, p), p);
  EXPECT_EQ(negation(negation(p)), p);
  EXPECT_TRUE(equal(x, x).is_true());
  EXPECT_EQ(ite(p, x, x), x);
  EXPECT_TRUE(a.conjunction({}).is_true());
  EXPECT_TRUE(a.disjunction({}).is_false());
  EXPECT_EQ(to_smtlib(subtract(x, a.integer(4))), "(+ (- 4) v_x)");
}

TEST(Term, IllSortedApplicationsAreRefused) {
  Arena a, b;
  const Term x = a.integer_variable("x"), p = a.variable("p", Sort::boolean());
  EXPECT_THROW(add(x, p), InternalError);
  EXPECT_THROW(add(x, a.variable("r", Sort::real())), InternalError);
  EXPECT_THROW(a.variable("x", Sort::real()), InternalError);
  EXPECT_THROW(add(x, b.integer_variable("x")), InternalError);
  EXPECT_THROW(bv_extract(a.variable("v", Sort::bit_vector(8)), 8, 0), InternalError);
  EXPECT_THROW(floor_div(x, a.integer(0)), InternalError);
  EXPECT_THROW(a.apply(a.declare("f", {Sort::integer()}, Sort::integer()), {p}), InternalError);
  EXPECT_THROW(Term().op(), InternalError);
}

TEST(Term, FreshNamesAreNew) {
  Arena a;
  a.integer_variable("i");
  EXPECT_EQ(a.fresh("i", Sort::integer()).function()->name, "i.1");
  EXPECT_EQ(a.fresh("i", Sort::integer()).function()->name, "i.2");
}

Integer folded(Term t) {
  EXPECT_TRUE(t.is_constant());
  return t.value().get_num();
}

TEST(Term, DivisionIsEuclideanAndTheTotalFormFloors) {
  Arena a;
  for (int x = -7; x <= 7; ++x)
    for (int y = -3; y <= 3; ++y) {
      const Term tx = a.integer(x), ty = a.integer(y);
      EXPECT_EQ(folded(total_floor_div(tx, ty)), hallmark::floor_div(x, y)) << x << " " << y;
      EXPECT_EQ(folded(total_floor_mod(tx, ty)), hallmark::floor_mod(x, y)) << x << " " << y;
      if (y == 0) {
        EXPECT_FALSE(div(tx, ty).is_constant());
        continue;
      }
      const Integer q = folded(div(tx, ty)), r = folded(mod(tx, ty));
      EXPECT_EQ(q * y + r, x);
      EXPECT_TRUE(r >= 0 && r < abs(y)) << x << " " << y;
    }
}

TEST(Term, BitVectorOperations) {
  Arena a;
  const auto v = [&](long x) { return a.bit_vector(x, 8); };
  EXPECT_EQ(bv(Op::bv_add, v(200), v(100)), v(44));
  EXPECT_EQ(bv_subtract(v(3), v(5)), v(254));
  EXPECT_EQ(bv(Op::bv_shift_right_arithmetic, v(0x80), v(9)), v(0xff));
  EXPECT_EQ(bv(Op::bv_shift_right, v(0x80), v(9)), v(0));
  EXPECT_EQ(bv(Op::bv_shift_left, v(3), v(7)), v(0x80));
  EXPECT_EQ(bv(Op::bv_unsigned_divide, v(3), v(0)), v(255));
  EXPECT_EQ(bv(Op::bv_unsigned_remainder, v(3), v(0)), v(3));
  EXPECT_TRUE(bv(Op::bv_signed_less, v(0x80), v(0)).is_true());
  EXPECT_TRUE(bv(Op::bv_unsigned_less, v(0x80), v(0)).is_false());
  EXPECT_EQ(bv_extract(v(0xa5), 7, 4), a.bit_vector(0xa, 4));
  EXPECT_EQ(bv_extend(v(0x80), 8, true), a.bit_vector(0xff80, 16));
  EXPECT_EQ(a.make(Op::bv_concat, {v(1), v(2)}), a.bit_vector(0x102, 16));
  EXPECT_EQ(integer_to_bv(a.integer(-1), 8), v(255));
}

TEST(Evaluator, TablesCallbacksAndWhatIsNotKnown) {
  Arena a;
  const Term x = a.integer_variable("x"), y = a.integer_variable("y");
  const Function* f = a.declare("f", {Sort::integer()}, Sort::integer());
  Assignment s;
  s.variables["x"] = Value::integer(5);
  s.tables["f"][{Rational(5)}] = Value::integer(11);
  s.function = [](const Function& g, const std::vector<Value>& args) -> std::optional<Value> {
    if (g.name == "f" && args[0].number == 6) return Value::integer(12);
    return std::nullopt;
  };
  Evaluator e(s);
  EXPECT_EQ(e.value(a.apply(f, {x})), Value::integer(11));
  EXPECT_EQ(e.value(a.apply(f, {add(x, 1L)})), Value::integer(12));
  EXPECT_EQ(e.value(a.apply(f, {add(x, 2L)})), std::nullopt);
  EXPECT_EQ(e.value(y), std::nullopt);
  EXPECT_EQ(e.holds(conjunction(less(x, 3), less(y, 3))), false);
  EXPECT_EQ(e.holds(disjunction(less(y, 3), less(x, 9))), true);
  EXPECT_EQ(e.holds(conjunction(less(x, 9), less(y, 3))), std::nullopt);
  EXPECT_EQ(e.value(ite(less(x, 9), x, y)), Value::integer(5));
  EXPECT_EQ(e.value(div(x, subtract(x, x))), std::nullopt);
  EXPECT_EQ(e.value(total_floor_div(x, a.integer(0))), Value::integer(0));
  Assignment wrong;
  wrong.variables["x"] = Value::real(Rational(1, 2));
  EXPECT_THROW(Evaluator(wrong).value(x), InternalError);
}

TEST(Evaluator, AFalseHypothesisOnAnExecutionIsAFaultOfOurs) {
  Arena a;
  const Term i = a.integer_variable("i"), n = a.integer_variable("n");
  Query q;
  q.hypotheses = {{"range of i", in_range(i, a.integer(0), n)}};
  q.goal = less(i, 10);
  const auto check = [&](long vi, std::optional<long> vn) {
    Assignment s;
    s.variables["i"] = Value::integer(vi);
    if (vn) s.variables["n"] = Value::integer(*vn);
    Evaluator e(s);
    return check_on_execution(q, e);
  };
  EXPECT_EQ(check(3, 4), 0U);
  EXPECT_EQ(check(3, std::nullopt), 1U);
  EXPECT_THROW(check(4, 4), InternalError);
  EXPECT_THROW(check(12, 20), InternalError);
  EXPECT_EQ(check(12, std::nullopt), 1U);  // the hypotheses may be false there
}

TEST(Evaluator, DeepTermsNeedNoStack) {
  Arena a;
  Term t = a.integer_variable("x");
  for (int i = 0; i < 40'000; ++i) t = add(negate(t), a.integer_variable("x"));
  Assignment s;
  s.variables["x"] = Value::integer(3);
  EXPECT_EQ(Evaluator(s).value(t), Value::integer(3));
  EXPECT_GT(to_smtlib(t).size(), 200'000U);
}

TEST(Substitution, ReplacesAtOnceAndSimplifies) {
  Arena a;
  const Term x = a.integer_variable("x"), y = a.integer_variable("y");
  const Function* f = a.declare("f", {Sort::integer()}, Sort::integer());
  EXPECT_EQ(substitute(add(x, multiply(2, y)), {{x, y}, {y, x}}), add(y, multiply(2, x)));
  EXPECT_EQ(substitute(a.apply(f, {add(x, y)}), {{x, a.integer(2)}, {y, a.integer(3)}}),
            a.apply(f, {a.integer(5)}));
}

}  // namespace
}  // namespace hallmark::smt
