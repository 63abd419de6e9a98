// Rules that say nothing are vacuous though every claim about them is true, and conditions are told apart.
#include "rules/substance.h"

#include <gtest/gtest.h>

#include "rules/prove_rule.h"

namespace hallmark::rules {
namespace {

Obligation proved(const std::string& body) {
  smt::Portfolio portfolio;
  const Obligation out =
      prove_family(parse_rules("hallmark 1\nrule r\n  source \"a test\"\n" + body, "r.hm").at(0), portfolio);
  check_well_formed(out);
  return out;
}

TEST(Substance, TheSameTextOnBothSidesIsNoRule) {
  const std::string sides =
      "  size N\n  input x : f32[N]\n  left  Y : f32[i < N] = x[i]\n  right Y : f32[i < N] = x[ i ]\n";
  EXPECT_EQ(proved(sides).outcome.reason, Reason::vacuous);
  EXPECT_EQ(
      proved("  size N\n  input x : f32[N]\n  left  Y : f32[i < N] = x[i]\n  right Y : f32[i < N] = x[0 + i]\n")
          .outcome.state,
      State::proved);
}

TEST(Substance, SizesBelowTwoAloneHaveToBeMeant) {
  const std::string start = "  size N\n", sides =
                                              "  input x : f32[N]\n  left  Y : f32[i < N] = x[i]\n"
                                              "  right Y : f32[i < N] = x[N - 1 - i]\n";
  const Obligation silent = proved(start + "  require N <= 1\n" + sides);
  EXPECT_EQ(silent.outcome.reason, Reason::vacuous);
  EXPECT_NE(silent.outcome.detail.find("degenerate"), std::string::npos);
  EXPECT_EQ(proved(start + "  require N <= 1\n  degenerate\n" + sides).outcome.state, State::proved);
  // Sizes far from the least ones are found, too.
  EXPECT_EQ(proved("  size M, N, K\n  require M = 64\n  require N = 128\n  require K = M * N\n"
                   "  input x : f32[M, N, K]\n  left  Y : f32[i < M, j < N, k < K] = x[i, j, k]\n"
                   "  right Y : f32[i < M, j < N, k < K] = x[0 + i, j, k]\n")
                .outcome.reason,
            Reason::vacuous);  // no instance is small enough to be executed: that is not a proof either
}

TEST(Substance, ConditionsAreNeededOrReportedAsRedundant) {
  const Obligation o = proved(
      "  size N, s, e\n  require s <= e\n  require e <= N\n  require s <= N\n  input x : f32[N]\n"
      "  left  Y : f32[i < e - s] = x[i + s]\n  right Y : f32[i < e - s] = x[s + i + 0]\n");
  ASSERT_EQ(o.outcome.state, State::proved) << o.outcome.detail;
  EXPECT_NE(o.outcome.detail.find("conditions: 1 needed"), std::string::npos) << o.outcome.detail;
  EXPECT_NE(o.outcome.detail.find("redundant: require s <= e; require s <= N"), std::string::npos)
      << o.outcome.detail;
}

}  // namespace
}  // namespace hallmark::rules
