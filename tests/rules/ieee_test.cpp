// The identities of rules/ieee.h in arithmetic, exhaustively in a small format, and what must not be one.
#include "rules/ieee.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/process.h"
#include "evaluator/evaluator.h"
#include "evaluator/float_format.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

Term x() {
  return load("x", {axis(0)}, Sort::real());
}
Term y() {
  return load("y", {axis(0)}, Sort::real());
}
Term n(const Rational& value) {
  return real_constant(value);
}

// A term of reals read in the format: each operation rounded to nearest, max as maximum.
Term in_format(Term t, Format f) {
  const Sort sort = Sort::floating(f);
  if (t->kind == Kind::load) return load(t->name, t->children, sort);
  if (t->kind == Kind::constant)
    return float_constant(f,
                          evaluator::encode(f, evaluator::round_to(f, t->value.get_d(), Rounding::nearest)));
  std::vector<Term> operands;
  for (Term child : t->children) operands.push_back(in_format(child, f));
  const Op op = t->op == Op::max ? Op::maximum : t->op == Op::min ? Op::minimum : t->op;
  return operation(op, operands, sort, Rounding::nearest);
}

// Whether both have the same encoding, NaNs being one value, for every pair of encodings.
bool same_everywhere(Term a, Term b) {
  const Format f = Format::f8e5m2;
  const Term p = in_format(a, f), q = in_format(b, f);
  auto data = [&](unsigned first, bool second) {
    auto d = std::make_shared<TensorData>();
    d->format = f;
    d->extents = {256};
    for (unsigned i = 0; i < 256; ++i) d->bytes.push_back(static_cast<std::byte>(second ? first : i));
    return evaluator::Tensor(evaluator::Tensor::Encoded(d));
  };
  for (unsigned fixed = 0; fixed < 256; ++fixed) {
    const evaluator::Tensors inputs{{"x", data(fixed, false)}, {"y", data(fixed, true)}};
    Definition left, right;
    left.declaration = {"p", f, {integer(256L)}};
    right.declaration = {"q", f, {integer(256L)}};
    left.body = p;
    right.body = q;
    const auto u = evaluator::evaluate(left, {}, {}, inputs), v = evaluator::evaluate(right, {}, {}, inputs);
    for (std::int64_t i = 0; i < 256; ++i) {
      const bool nan = std::isnan(u.number(i)) && std::isnan(v.number(i));
      if (!nan && u.bits(i) != v.bits(i)) return false;
    }
  }
  return true;
}

std::vector<Term> samples() {
  return {
      apply(Op::mul, {x(), n(1)}),
      apply(Op::mul, {x(), n(-1)}),
      apply(Op::div, {x(), n(1)}),
      apply(Op::div, {x(), n(-1)}),
      apply(Op::sub, {x(), n(0)}),
      apply(Op::sub, {x(), y()}),
      apply(Op::neg, {apply(Op::neg, {x()})}),
      apply(Op::mul, {apply(Op::neg, {x()}), y()}),
      apply(Op::div, {apply(Op::neg, {x()}), y()}),
      apply(Op::div, {x(), apply(Op::neg, {y()})}),
      apply(Op::abs, {apply(Op::neg, {x()})}),
      apply(Op::abs, {apply(Op::abs, {x()})}),
      apply(Op::mul, {x(), n(2)}),
      apply(Op::div, {x(), n(4)}),
      apply(Op::div, {x(), n(Rational(1, 8))}),
      apply(Op::max, {x(), apply(Op::max, {x(), n(0)})}),
      apply(Op::max, {apply(Op::max, {x(), y()}), n(1)}),
      apply(Op::min, {apply(Op::min, {x(), y()}), x()}),
      apply(Op::max, {apply(Op::neg, {x()}), apply(Op::neg, {y()})}),
      apply(Op::min, {apply(Op::neg, {x()}), apply(Op::neg, {y()})}),
  };
}

TEST(Ieee, EveryIdentityHoldsForAllEncodings) {
  for (Term t : samples()) {
    EXPECT_NE(ieee_normal(t, 14), t) << "nothing to check";
    EXPECT_TRUE(same_everywhere(t, ieee_normal(t, 14)));
  }
}

TEST(Ieee, WhatIsNoIdentityStays) {
  for (Term t : {apply(Op::add, {x(), n(0)}), apply(Op::add, {apply(Op::add, {x(), y()}), x()}),
                 apply(Op::mul, {x(), n(0)}), apply(Op::div, {x(), n(3)})})
    EXPECT_EQ(ieee_normal(t, 14), t);
  EXPECT_NE(ieee_normal(apply(Op::sub, {x(), x()}), 14), n(0));
}

// The check above can fail: these are wrong.
TEST(Ieee, TheExhaustiveCheckSeesADifference) {
  EXPECT_FALSE(same_everywhere(apply(Op::add, {x(), n(0)}), x()));
  EXPECT_FALSE(same_everywhere(apply(Op::mul, {x(), n(0)}), n(0)));
  EXPECT_FALSE(same_everywhere(apply(Op::neg, {apply(Op::sub, {x(), y()})}), apply(Op::sub, {y(), x()})));
}

// The same identities of every f32, by the theory of floating-point numbers of cvc5; `=` of that theory is
// equality of encodings, all NaNs being one.
std::string answer(const std::string& claim) {
  const ProcessResult result =
      run_process({"cvc5", "--lang=smt2", "--tlimit=60000"},
                  "(set-logic QF_FP)\n(define-sort F () (_ FloatingPoint 8 24))\n"
                  "(declare-const x F)(declare-const y F)(declare-const z F)\n"
                  "(define-fun top ((a F) (b F)) F (ite (or (fp.isNaN a) (fp.isNaN b)) (_ NaN 8 24)"
                  " (ite (fp.lt a b) b (ite (fp.lt b a) a (ite (fp.isNegative a) b a)))))\n"
                  "(define-fun low ((a F) (b F)) F (ite (or (fp.isNaN a) (fp.isNaN b)) (_ NaN 8 24)"
                  " (ite (fp.lt a b) a (ite (fp.lt b a) b (ite (fp.isNegative a) a b)))))\n(assert (not " +
                      claim + "))\n(check-sat)\n",
                  {std::chrono::seconds(90), std::size_t{4} << 30});
  return result.out;
}

TEST(Ieee, CvcProvesEachIdentityOfF32) {
  for (const char* claim : {
           "(= (fp.mul RNE x ((_ to_fp 8 24) RNE 1.0)) x)",
           "(= (fp.div RNE x ((_ to_fp 8 24) RNE 1.0)) x)",
           "(= (fp.sub RNE x (_ +zero 8 24)) x)",
           "(= (fp.neg (fp.neg x)) x)",
           "(= (fp.sub RNE x y) (fp.add RNE x (fp.neg y)))",
           "(= (fp.mul RNE (fp.neg x) y) (fp.neg (fp.mul RNE x y)))",
           "(= (fp.div RNE (fp.neg x) y) (fp.neg (fp.div RNE x y)))",
           "(= (fp.div RNE x (fp.neg y)) (fp.neg (fp.div RNE x y)))",
           "(= (fp.mul RNE x ((_ to_fp 8 24) RNE 2.0)) (fp.add RNE x x))",
           "(= (fp.div RNE x ((_ to_fp 8 24) RNE 8.0)) (fp.mul RNE x ((_ to_fp 8 24) RNE 0.125)))",
           "(= (fp.abs (fp.neg x)) (fp.abs x))",
           "(= (top x y) (top y x))",
           "(= (top x (top y z)) (top (top x y) z))",
           "(= (top x x) x)",
           "(= (top (_ -oo 8 24) x) x)",
           "(= (low x y) (fp.neg (top (fp.neg x) (fp.neg y))))",
       })
    EXPECT_EQ(answer(claim), "unsat\n") << claim;
}

TEST(Ieee, CvcRefutesWhatIsNoIdentity) {
  for (const char* claim : {
           "(= (fp.add RNE x (_ +zero 8 24)) x)",
           "(= (fp.sub RNE x x) (_ +zero 8 24))",
           "(= (fp.neg (fp.sub RNE x y)) (fp.sub RNE y x))",
           "(= (fp.div RNE x ((_ to_fp 8 24) RNE 3.0)) (fp.mul RNE x ((_ to_fp 8 24) RNE "
           "0.333333333333333333)))",
           "(= (ite (fp.lt x y) y x) (top x y))",
       })
    EXPECT_EQ(answer(claim), "sat\n") << claim;
}

}  // namespace
}  // namespace hallmark::rules
