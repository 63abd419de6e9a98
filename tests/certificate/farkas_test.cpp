// Certificates over linear integer and real arithmetic: found, checked, and never accepted for anything else.
#include <gtest/gtest.h>

#include "base/json.h"
#include "base/sha256.h"
#include "certificate/certificate.h"
#include "certify/find_farkas.h"

namespace hallmark::certify {
namespace {

std::string query(const std::string& body) {
  return "(declare-fun x () Int)(declare-fun y () Int)(declare-fun n () Int)(declare-fun p () Bool)"
         "(declare-fun r () Real)(declare-fun f (Int) Int)" +
         body + "(check-sat)";
}

bool certified(const std::string& body) {
  const std::string text = query(body);
  const auto found = find_farkas(text);
  if (found) {
    EXPECT_EQ(certificate::check(text, *found), "") << body;
  }
  return found.has_value();
}

TEST(Farkas, ProvesWhatHasNoSolution) {
  for (const char* body : {
           "(assert (< x y))(assert (< y n))(assert (<= n (+ x 1)))",
           "(assert false)",
           "(assert p)(assert (not p))",
           "(assert (and p (or (not p) (< x x))))",
           // bounds of a flat index: the claim of a kernel
           "(assert (<= 0 x 127))(assert (<= 0 y))(assert (< y (div (+ n 127) 128)))(assert (<= 1 n))"
           "(assert (not (=> (< (+ (* 128 y) x) n) (and (<= 0 (+ (* 128 y) x)) (< (+ (* 128 y) x) n)))))",
           "(assert (= (ite (< x 0) (- x) x) (- 1)))",
           "(assert (= (mod x 4) 5))",
           "(assert (= (* 2 x) (+ (* 2 y) 1)))",
           "(assert (distinct x 0))(assert (< (- 1) x 1))",
           "(assert (< r 1.0))(assert (> (* 2.0 r) 2.0))",
           "(assert (< r 1.0))(assert (>= r 1.0))",
           "(assert (= (f x) 1))(assert (> (f x) 1))",
           "(assert (= p (< x 0)))(assert p)(assert (>= x 0))",
           "(assert (= (to_real x) (/ 1.0 2.0)))",
           "(assert (<= 0 x 3))(assert (<= 0 y 3))(assert (= (+ (* 4 y) x) 16))",
       })
    EXPECT_TRUE(certified(body)) << body;
}

TEST(Farkas, FindsNothingWhereThereIsASolution) {
  for (const char* body : {
           "(assert (< x y))(assert (< y n))",
           "(assert p)",
           "(assert (= (div x 0) 5))",
           "(assert (= (mod x 0) 5))",
           "(assert (= (div x (- 2)) 5))",
           "(assert (= (* x y) 6))",
           "(assert (= (* 2.0 r) 1.0))",
           "(assert (= (f x) 1))(assert (= (f y) 2))",
           "(assert (= (to_int r) x))(assert (< (to_real x) r))",
           "(assert (distinct x y n))",
           "(assert (=> p (< x 0) false))",
           "",
       })
    EXPECT_FALSE(certified(body)) << body;
}

struct Forged : ::testing::Test {
  const std::string text = query("(assert (< x y))(assert (< y x))(assert (or p (< x n)))");
  std::string check(std::vector<std::string> steps) const {
    return certificate::check(text,
                              certificate::certificate_text({"farkas", sha256_hex(text), std::move(steps)}));
  }
};

TEST_F(Forged, OnlyTheRightSumCloses) {
  EXPECT_EQ(check({"close 0:1 1:1"}), "");
  EXPECT_EQ(check({"close 0:7/3 1:7/3"}), "");
  for (const std::vector<std::string>& steps : std::vector<std::vector<std::string>>{
           {},
           {"close 0:1"},
           {"close 0:1 1:2"},
           {"close 0:1 1:1", "close 0:1 1:1"},
           {"close 0:1 1:-1"},
           {"close 0:1 1:0"},
           {"close 0:1 1:1/0"},
           {"close 0:1 2:1"},
           {"close 0:1 9:1"},
           {"close 0:1 1"},
           {"close"},
           {"split 0", "close 0:1 1:1"},
           {"split 2", "close 0:1 1:1"},
           {"split 9"},
           {"split 2 2"},
           {"branch 2 1"},
           {"branch 0 x"},
           {"cut 0:1"},
           {"open 1"},
           {"close 0:1 1:1 "},
           {"close 0:99999999999999999999 1:1"},
       })
    if (steps == std::vector<std::string>{"close 0:1 1:1 "})
      EXPECT_EQ(check(steps), "");
    else
      EXPECT_NE(check(steps), "") << (steps.empty() ? "" : steps[0]);
  EXPECT_EQ(check({"split 2", "close 0:1 1:1", "close 0:1 1:1"}), "") << "both cases are closed";
}

TEST_F(Forged, OfAnotherQueryOrFormIsNone) {
  const std::string other = query("(assert (< x y))(assert (< y (+ x 2)))");
  const std::vector<std::string> steps{"close 0:1 1:1"};
  using certificate::certificate_text;
  EXPECT_NE(certificate::check(other, certificate_text({"farkas", sha256_hex(text), steps})), "");
  EXPECT_NE(certificate::check(other, certificate_text({"farkas", sha256_hex(other), steps})), "");
  EXPECT_NE(certificate::check(text, certificate_text({"trust-me", sha256_hex(text), steps})), "");
  EXPECT_NE(certificate::check(text, certificate_text({"farkas", sha256_hex(text), steps}) + " "), "");
  EXPECT_NE(certificate::check(text, "{}"), "");
  EXPECT_NE(certificate::check(text, "[1, 2"), "");
}

TEST(Farkas, TheSameEverywhere) {
  const std::string text = query("(assert (<= 0 x 127))(assert (or (< x 0) (> x 127)))");
  EXPECT_EQ(find_farkas(text), find_farkas(text));
  EXPECT_FALSE(find_farkas(text, {0, 0, 0})) << "without effort there is none";
}

}  // namespace
}  // namespace hallmark::certify
