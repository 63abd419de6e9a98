#include "certificate/smtlib.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "certificate/linear.h"

namespace hallmark::certificate {
namespace {

TEST(SmtLib, ReadsWhatTheProgramWrites) {
  const Query query(
      "(set-info :smt-lib-version 2.6)\n(set-info :source |a (b) c|)\n; expected: unsat\n(set-logic "
      "QF_UFLIA)\n"
      "(declare-sort s_J 0)\n(declare-fun f_g (Int s_J) Int)\n(declare-fun v_x () Int)\n(declare-fun v_j () "
      "s_J)\n"
      "(define-fun t_1 () Int (+ v_x (- 3)))\n(assert (<= t_1 (f_g v_x v_j)))\n(assert (not (= (mod t_1 4) "
      "2)))\n"
      "(check-sat)\n");
  ASSERT_EQ(query.assertions().size(), 2u);
  EXPECT_EQ(query.node(query.assertions()[0]).op, "<=");
}

TEST(SmtLib, RefusesWhatItDoesNotKnowWithItsPlace) {
  const auto refused = [](const std::string& text) {
    try {
      const Query query(text, "q.smt2");
      return std::string();
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), "E5450");
      EXPECT_EQ(error.where().file, "q.smt2");
      EXPECT_GT(error.where().line, 0u);
      return error.message();
    }
  };
  for (const char* text : {"(assert", "(assert)", "assert", "(push 1)", "(assert (forall ((x Int)) true))",
                           "(assert (let ((x 1)) (= x 1)))", "(declare-fun x () Int)(declare-fun x () Int)",
                           "(declare-fun x () Int)(assert (and x))", "(assert 1)",
                           "(declare-fun x () Int)(assert (= x 1.0))", "(check-sat)(assert true)",
                           "(assert (= #b01 #b1))", "(assert (f 1))", "(declare-fun x () (_ BitVec 0))",
                           "(assert ((_ extract 4 0) #b01))", "(assert |x)", "(assert (not true false))"})
    EXPECT_FALSE(refused(text).empty()) << text;
  EXPECT_TRUE(refused("(assert (not (= 1 2)))(check-sat)").empty());
}

TEST(SmtLib, DeepNestingNeedsNoStack) {
  std::string text = "(declare-fun p () Bool)(assert ";
  for (int i = 0; i < 60'000; ++i) text += "(not ";
  text += "p" + std::string(60'000, ')') + ")(check-sat)";
  Query query(text);
  Entries entries(query);
  entries.add(Literal{query.assertions()[0], true});
  EXPECT_EQ(entries.size(), 0u);
}

TEST(Linear, TighteningKeepsEveryIntegerSolution) {
  // 2x - 3 > 0 says x >= 2; 2x - 3 >= 0 too.
  Query query(
      "(declare-fun x () Int)(declare-fun r () Real)(assert (> (- (* 2 x) 3) 0))(assert (> (- (* 2.0 r) 3.0) "
      "0.0))");
  Entries entries(query);
  for (const NodeId a : query.assertions()) entries.add(Literal{a, true});
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries.at(0).inequality->form.constant, -2);
  EXPECT_FALSE(entries.at(0).inequality->strict);
  EXPECT_EQ(entries.at(1).inequality->form.constant, -3) << "nothing is rounded over the reals";
  EXPECT_TRUE(entries.at(1).inequality->strict);
}

}  // namespace
}  // namespace hallmark::certificate
