#include "smt/query.h"

#include <gtest/gtest.h>

#include "base/sha256.h"

namespace hallmark::smt {
namespace {

// The same query, made in an arena that has seen other terms before.
Query sample(Arena& a) {
  const Term i = a.integer_variable("i"), n = a.integer_variable("n");
  const Function* exp = a.declare("exp", {Sort::integer(), Sort::uninterpreted("axis 0")}, Sort::integer());
  const Term j = a.variable("j", Sort::uninterpreted("axis 0"));
  Query q;
  q.title = "bounds/copy:3/source";
  const Term flat = add(multiply(2, i), 1L);
  q.hypotheses = {{"range of i", in_range(i, a.integer(0), n)}, {"", less(a.apply(exp, {flat, j}), flat)}};
  q.goal = less(flat, multiply(2, n));
  return q;
}

TEST(QueryText, IsTheSameBytesWhateverTheArenaHasSeen) {
  Arena a, b;
  multiply(2, b.integer_variable("n"));
  b.variable("zz", Sort::real());
  const QueryText first = goal_text(sample(a)), second = goal_text(sample(b));
  EXPECT_EQ(first.text, second.text);
  EXPECT_EQ(first.text,
            "(set-info :smt-lib-version 2.6)\n"
            "(set-info :source |bounds/copy:3/source|)\n"
            "; expected: unsat\n"
            "(set-logic QF_UFLIA)\n"
            "(declare-sort s_axis$200 0)\n"
            "(declare-fun f_exp (Int s_axis$200) Int)\n"
            "(declare-fun v_i () Int)\n"
            "(declare-fun v_j () s_axis$200)\n"
            "(declare-fun v_n () Int)\n"
            "; range of i\n"
            "(assert (and (<= 0 v_i) (< v_i v_n)))\n"
            "(define-fun t_1 () Int (+ 1 (* 2 v_i)))\n"
            "(assert (< (f_exp t_1 v_j) t_1))\n"
            "; not the goal\n"
            "(assert (not (< t_1 (* 2 v_n))))\n"
            "(check-sat)\n");
  EXPECT_EQ(first.sha256, sha256_hex(first.text));
  EXPECT_EQ(first.sha256, "5b96ac38b6eda5dfd1212cbb32e8536c3732d1753a246d4d7cf3c8fc5f1388ce");
  ASSERT_EQ(first.variables.size(), 2U);  // j has no printable value
  EXPECT_EQ(first.variables[0], (std::pair<std::string, std::string>("i", "v_i")));
}

TEST(QueryText, HypothesesDoNotDependOnTheGoal) {
  Arena a;
  Query one = sample(a), other = sample(a);
  other.goal = equal(a.integer_variable("other"), 3);
  other.title = "something else";
  EXPECT_EQ(hypotheses_text(one, false).sha256, hypotheses_text(other, false).sha256);
  EXPECT_NE(goal_text(one).sha256, goal_text(other).sha256);
  one.example = {equal(a.integer_variable("i"), 3)};
  EXPECT_NE(hypotheses_text(one, true).sha256, hypotheses_text(one, false).sha256);
  EXPECT_EQ(hypotheses_text(one, false).sha256, hypotheses_text(other, false).sha256);
}

TEST(QueryText, NamesCannotMeetOrEscape) {
  EXPECT_EQ(escape_name("a b"), "a$20b");
  EXPECT_EQ(escape_name("a$20b"), "a$2420b");
  Arena a;
  Query q;
  q.title = "x|)\n(exit)";
  q.hypotheses = {{"line\n(exit)", less(a.integer_variable("x|y"), 3)}};
  q.goal = a.boolean(false);
  const std::string text = goal_text(q).text;
  EXPECT_EQ(text.find("\n(exit)"), std::string::npos);
  EXPECT_NE(text.find("v_x$7cy"), std::string::npos);
}

TEST(QueryText, SharedTermsKeepTheTextLinear) {
  Arena a;
  Term t = a.integer_variable("x");
  for (int i = 0; i < 200; ++i) t = add(t, negate(multiply(3, t)));
  Query q;
  q.goal = less(t, 0);
  EXPECT_LT(goal_text(q).text.size(), 40'000U);
}

TEST(Logic, IsTheLeastThatBothSolversKnow) {
  Arena a;
  const Term x = a.integer_variable("x"), y = a.integer_variable("y"), r = a.variable("r", Sort::real());
  const Term v = a.variable("v", Sort::bit_vector(4));
  const Function* f = a.declare("f", {Sort::integer()}, Sort::integer());
  EXPECT_EQ(logic_of({less(x, y)}), "QF_LIA");
  EXPECT_EQ(logic_of({less(div(x, a.integer(4)), multiply(3, y))}), "QF_LIA");
  EXPECT_EQ(logic_of({less(multiply(x, y), 3)}), "QF_NIA");
  EXPECT_EQ(logic_of({less(mod(x, y), 3)}), "QF_NIA");
  EXPECT_EQ(logic_of({less(a.apply(f, {x}), 3)}), "QF_UFLIA");
  EXPECT_EQ(logic_of({less(divide(r, r), 3)}), "QF_NRA");
  EXPECT_EQ(logic_of({less(r, 3), less(x, 3)}), "ALL");
  EXPECT_EQ(logic_of({equal(v, bv(Op::bv_add, v, v))}), "QF_BV");
  EXPECT_EQ(logic_of({a.variable("p", Sort::boolean())}), "QF_UF");
}

}  // namespace
}  // namespace hallmark::smt
