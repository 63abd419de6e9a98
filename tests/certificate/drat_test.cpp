// Bit-vector queries as clauses, and refutations of clauses.
#include "certificate/drat.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/sha256.h"
#include "certificate/certificate.h"
#include "certify/find_drat.h"

namespace hallmark::certify {
namespace {

using certificate::check_clauses;

TEST(Drat, ChecksResolutionAndRefusesLeaps) {
  const certificate::Clauses square{2, {{1, 2}, {-1, 2}, {1, -2}, {-1, -2}}};
  EXPECT_EQ(check_clauses(square, {"2 0", "0"}), "");
  EXPECT_EQ(check_clauses(square, {"2 0", "d 1 2 0"}), "") << "unit propagation alone fails after the unit";
  EXPECT_NE(check_clauses(square, {}), "");
  EXPECT_NE(check_clauses(square, {"d 1 2 0", "2 0"}), "") << "it does not follow without the deleted clause";
  const certificate::Clauses open{2, {{1, 2}, {-1, 2}}};
  EXPECT_NE(check_clauses(open, {"0"}), "");
  EXPECT_NE(check_clauses(open, {"2 0", "-2 0", "0"}), "");
  EXPECT_THROW(check_clauses(open, {"3 0"}), UserError) << "an unknown variable";
  for (const char* line : {"", "1", "1 x 0", "1 0 2", "0 0"})
    EXPECT_THROW(check_clauses(open, {line}), UserError) << line;
  EXPECT_EQ(check_clauses({1, {{1}, {-1}}}, {}), "");
}

TEST(Drat, AResolutionAsymmetricTautologyKeepsSolutions) {
  // Of {a or b, not a or b}, "not b" is no such clause; of {a or b}, "a" is one: b occurs nowhere negated.
  EXPECT_NE(check_clauses({2, {{1, 2}, {-1, 2}}}, {"-2 0"}), "");
  EXPECT_NE(check_clauses({2, {{1, 2}}}, {"1 0"}), "step 1 does not follow");
}

std::string bits(const std::string& body) {
  return "(set-logic QF_BV)(declare-fun x () (_ BitVec 8))(declare-fun y () (_ BitVec 8))(declare-fun p () "
         "Bool)" +
         body + "(check-sat)";
}

TEST(Drat, BitVectorGoalsHaveCertificates) {
  if (!can_find_drat()) GTEST_SKIP() << "cadical is not installed";
  for (const char* body : {
           "(assert (not (= (bvadd x y) (bvadd y x))))",
           "(assert (not (= (bvand x y) (bvsub (bvadd x y) (bvor x y)))))",
           "(assert (not (= (bvmul x #x03) (bvadd x (bvshl x #x01)))))",
           "(assert (not (= (bvneg x) (bvadd (bvnot x) #x01))))",
           "(assert (and (bvult x y) (bvule y x)))",
           "(assert (and (bvslt x #x00) (bvsge x #x00)))",
           "(assert (not (= x (bvadd (bvmul (bvudiv x y) y) (bvurem x y)))))(assert (distinct y "
           "#x00))(assert (bvult y #x03))",
           "(assert (not (= (bvudiv x #x00) #xff)))",
           "(assert (not (= (bvurem x #x00) x)))",
           "(assert (not (= ((_ extract 7 4) x) ((_ extract 3 0) (bvlshr x #x04)))))",
           "(assert (not (= ((_ sign_extend 8) x) (bvashr (concat x #x00) #x0008))))",
           "(assert (not (= (bvxor x x) #x00)))",
           "(assert (not (= (ite p x y) (ite (not p) y x))))",
           "(assert (not (= (bvshl x #x08) #x00)))",
       }) {
    const std::string text = bits(body);
    const auto found = find_drat(text);
    ASSERT_TRUE(found) << body;
    EXPECT_EQ(certificate::check(text, *found), "") << body;
    EXPECT_NE(certificate::check(bits("(assert (= x y))"), *found), "");
  }
  for (const char* body :
       {"(assert (= (bvmul x #x02) #x04))", "(assert (bvslt x #x00))", "(assert (= (bvudiv x #x00) #xff))"})
    EXPECT_FALSE(find_drat(bits(body))) << body;
}

TEST(Drat, AChangedStepOrASatisfiableQueryIsRefused) {
  const std::string text = bits("(assert (= x y))");
  for (const std::vector<std::string>& steps :
       std::vector<std::vector<std::string>>{{"0"}, {"1 0", "0"}, {"-1 0"}, {"2 0", "-2 0"}, {}})
    EXPECT_NE(certificate::check(text, certificate::certificate_text({"drat", sha256_hex(text), steps})), "");
  const std::string integers = "(declare-fun z () Int)(assert (< z z))(check-sat)";
  EXPECT_NE(
      certificate::check(integers, certificate::certificate_text({"drat", sha256_hex(integers), {"0"}})), "");
}

}  // namespace
}  // namespace hallmark::certify
