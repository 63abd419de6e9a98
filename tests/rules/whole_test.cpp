// Rules about Z: proved as such, refuted as such, and nothing is said of integers that wrap.
#include "rules/whole.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "rules/prove_rule.h"
#include "rules/rule_text.h"

namespace hallmark::rules {
namespace {

RuleFamily family(const std::string& body, bool unbounded = true) {
  return parse_rules(std::string("hallmark 1\nrule z\n  size N\n") + (unbounded ? "  unbounded\n" : "") +
                         "  input x : i32[N]\n  input y : i32[N]\n" + body,
                     "z.hm")
      .front();
}

struct Case {
  const char* body;
  State over_z, modulo;  // with `unbounded` and without
};

const Case cases[] = {
    {"  left  Y : i32[i < N] = (x[i] * 2) / 2\n  right Y : i32[i < N] = x[i]\n", State::proved,
     State::refuted},
    {"  left  Y : bool[i < N] = x[i] - y[i] < 0\n  right Y : bool[i < N] = x[i] < y[i]\n", State::proved,
     State::refuted},
    {"  left  Y : i32[i < N] = max(x[i] + 1, y[i] + 1)\n  right Y : i32[i < N] = max(x[i], y[i]) + 1\n",
     State::proved, State::refuted},
    // Quotients are cut towards 0, over Z too.
    {"  left  Y : bool[i < N] = x[i] / 2 < 1\n  right Y : bool[i < N] = x[i] < 2\n", State::proved,
     State::proved},
    {"  left  Y : bool[i < N] = x[i] / 2 < 0\n  right Y : bool[i < N] = x[i] < 0\n", State::refuted,
     State::refuted},
    {"  left  Y : bool[i < N] = x[i] / 2 < 0\n  right Y : bool[i < N] = x[i] < -1\n", State::proved,
     State::proved},
    {"  left  Y : i32[i < N] = mod(x[i], 3)\n  right Y : i32[i < N] = rem(x[i], 3)\n", State::refuted,
     State::refuted},
    {"  left  Y : i32[i < N] = (x[i] / y[i]) * y[i]\n  right Y : i32[i < N] = x[i]\n", State::refuted,
     State::refuted},
};

TEST(Whole, RulesAreAboutZOrAboutWhatWraps) {
  smt::Portfolio portfolio;
  for (const Case& c : cases) {
    const Obligation whole = prove_family(family(c.body), portfolio),
                     modulo = prove_family(family(c.body, false), portfolio);
    EXPECT_EQ(whole.outcome.state, c.over_z) << c.body << whole.outcome.detail;
    EXPECT_EQ(modulo.outcome.state, c.modulo) << c.body << modulo.outcome.detail;
    if (whole.outcome.state == State::proved) {
      EXPECT_EQ(whole.strength, "unbounded integers");
    }
  }
}

TEST(Whole, OneApplicationNeedsRangesInWhichNothingWraps) {
  smt::Portfolio portfolio;
  const Rule rule = family(cases[0].body).instances.front();
  EXPECT_EQ(prove_where_nothing_wraps(rule, {}, portfolio).outcome.reason, Reason::gap);
  EXPECT_EQ(prove_where_nothing_wraps(rule, {{"x", {0, 1073741824}}}, portfolio).outcome.reason, Reason::gap);
  const Obligation inside = prove_where_nothing_wraps(rule, {{"x", {-1073741824, 1073741823}}}, portfolio);
  EXPECT_EQ(inside.outcome.state, State::proved) << inside.outcome.detail;
  EXPECT_EQ(inside.strength, "wrap-around integers");
  // A wrong rule stays one in every range.
  EXPECT_NE(prove_where_nothing_wraps(family(cases[6].body).instances.front(), {{"x", {-9, 9}}}, portfolio)
                .outcome.state,
            State::proved);
}

TEST(Whole, RangesOfEachOperation) {
  const auto first = [](const std::string& body, Integer low, Integer high) {
    const Rule rule = family(body + "  right Y : i32[i < N] = x[i]\n").instances.front();
    return may_wrap(rule.left, {{"N", 0, Integer(10)}},
                    {{"x", {std::move(low), std::move(high)}}, {"y", {-3, 3}}});
  };
  const std::string square = "  left  Y : i32[i < N] = x[i] * x[i]\n";
  EXPECT_EQ(first(square, -46340, 46340), "");
  EXPECT_EQ(first(square, -46341, 0), "'mul' of i32 in Y");
  EXPECT_EQ(first("  left  Y : i32[i < N] = -x[i]\n", -2147483647, 0), "");
  EXPECT_EQ(first("  left  Y : i32[i < N] = -x[i]\n", -2147483648L, 0), "'neg' of i32 in Y");
  EXPECT_EQ(first("  left  Y : i32[i < N] = x[i] / y[i]\n", -2147483648L, 0), "'div' of i32 in Y") << "by -1";
  EXPECT_EQ(first("  left  Y : i32[i < N] = sum(k < N) x[k]\n", -200000000, 200000000), "");
  EXPECT_NE(first("  left  Y : i32[i < N] = sum(k < N) x[k]\n", -300000000, 200000000), "");
  EXPECT_EQ(first("  left  Y : i32[i < N] = i32(i8(x[i]))\n", -128, 127), "");
  EXPECT_NE(first("  left  Y : i32[i < N] = i32(i8(x[i]))\n", -128, 128), "");
  // What is computed on the way counts, also inside a condition.
  EXPECT_NE(first("  left  Y : i32[i < N] = if x[i] + 1 < 0 then 1 else 2\n", 0, 2147483647), "");
  EXPECT_NE(first("  left  T : i32[i < N] = x[i] * 4\n  left  Y : i32[i < N] = T[i] - T[i]\n", 0, 2000000000),
            "");
}

TEST(Whole, WhatHasNoMeaningOverZIsRefusedWithItsPlace) {
  for (const char* body :
       {"  left  Y : i32[i < N] = bit_and(x[i], y[i])\n  right Y : i32[i < N] = x[i]\n",
        "  left  Y : i32[i < N] = (sum(k < N) x[k]) / 2\n  right Y : i32[i < N] = x[i]\n"}) {
    try {
      family(body);
      ADD_FAILURE() << body;
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), "E2113");
      EXPECT_NE(error.render().find("z.hm:2"), std::string::npos) << error.render();
    }
  }
}

}  // namespace
}  // namespace hallmark::rules
