#include "numerics/scope.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hallmark::numerics {
namespace {

using namespace calculus;

Scope scope_with(const std::vector<std::pair<Term, long>>& extents) {
  Scope s([](Term) { return IndexRange{}; });
  for (const auto& [leaf, extent] : extents)
    s.declare(leaf, {Integer(0), Integer(extent - 1)}, integer(extent));
  return s;
}

std::string text(const IndexRange& r) {
  return (r.low ? r.low->get_str() : "-inf") + ".." + (r.high ? r.high->get_str() : "inf");
}

TEST(Scope, EnumeratesWhatIntervalsBlur) {
  const Term i = axis(0);
  const Scope s = scope_with({{i, 10}});
  // i mod 3 in polynomial form is i - 3 * floor(i / 3); intervals give -9..9.
  EXPECT_EQ(text(s.range(mod(i, integer(3L)))), "0..2");
  // The number of pooling taps inside: min(i + 2, 10) - max(i - 1, 0).
  const Term taps = subtract(index_min(add(i, integer(2L)), integer(10L)),
                             index_max(subtract(i, integer(1L)), integer(0L)));
  EXPECT_EQ(text(s.range(taps)), "2..3");
}

TEST(Scope, KeepsIntervalsWhereEnumerationIsTooLong) {
  const Term i = axis(0), j = axis(1);
  const Scope s = scope_with({{i, 1000}, {j, 1000}});
  EXPECT_EQ(text(s.range(add(multiply(i, j), i))), "0..999000");
  Scope open([](Term) { return IndexRange{}; });
  open.declare(i, {Integer(0), std::nullopt});
  EXPECT_EQ(text(open.range(add(i, integer(1L)))), "1..inf");
  EXPECT_EQ(text(open.range(subtract(integer(1L), i))), "-inf..1");
  EXPECT_EQ(text(open.range(floor_div(i, integer(4L)))), "0..inf");
}

TEST(Scope, FloorDivisionRoundsDown) {
  const Term i = axis(0);
  Scope s([](Term) { return IndexRange{}; });
  s.declare(i, {Integer(-7), Integer(100000000)});
  EXPECT_EQ(text(s.range(floor_div(i, integer(2L)))), "-4..50000000");
}

TEST(Scope, DecidesConditionsThatHoldForAllIndices) {
  const Term i = axis(0);
  const Scope s = scope_with({{i, 8}});
  EXPECT_TRUE(s.truth(less(i, integer(8L))).is_true());
  EXPECT_TRUE(s.truth(less(integer(7L), i)).is_false());
  EXPECT_FALSE(s.truth(less(i, integer(7L))).decided());
  EXPECT_TRUE(s.inside(i, integer(8L)));
  EXPECT_FALSE(s.inside(add(i, integer(1L)), integer(8L)));
}

TEST(Scope, AnAssumedConditionAndItsPartsCount) {
  const Term i = axis(0), j = axis(1);
  Scope s = scope_with({{i, 8}, {j, 8}});
  const Term a = at_most(i, j), b = less(j, integer(5L));
  EXPECT_FALSE(s.truth(a).decided());
  s.assume(both(a, b));
  EXPECT_TRUE(s.truth(a).is_true());
  EXPECT_TRUE(s.truth(negation(b)).is_false());
  EXPECT_FALSE(s.truth(less(i, integer(5L))).decided());
  s.forget();
  EXPECT_FALSE(s.truth(a).decided());
}

TEST(Scope, FindsThatSomeStepAlwaysExists) {
  const Term row = axis(0), k = fresh_variable("k");
  Scope s = scope_with({{row, 128}, {k, 128}});
  EXPECT_TRUE(s.always_some({k}, at_most(k, row)));
  EXPECT_FALSE(s.always_some({k}, less(k, row)));  // not for row 0
  // A window of 3 with padding 1 over 224 rows and columns always reaches the input; with padding 3 not
  // always.
  const Term oh = axis(1), ow = axis(2), kh = fresh_variable("k"), kw = fresh_variable("k");
  Scope w = scope_with({{oh, 224}, {ow, 224}, {kh, 3}, {kw, 3}});
  const auto window = [&](long padding) {
    return both(in_range(add(oh, subtract(kh, integer(padding))), integer(224L)),
                in_range(add(ow, subtract(kw, integer(padding))), integer(224L)));
  };
  EXPECT_TRUE(w.always_some({kh, kw}, window(1)));
  EXPECT_FALSE(w.always_some({kh, kw}, window(3)));
}

// An extent that can be 0 has no step, whatever the condition says.
TEST(Scope, AnEmptyRangeHasNoStep) {
  const Term k = fresh_variable("k");
  Scope s([](Term) { return IndexRange{}; });
  s.declare(symbol("N"), {Integer(0), Integer(4)});
  s.declare(k, {Integer(0), Integer(3)}, symbol("N"));
  EXPECT_FALSE(s.always_some({k}, truth(true)));
}

}  // namespace
}  // namespace hallmark::numerics
