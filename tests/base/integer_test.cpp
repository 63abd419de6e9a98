#include "base/integer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace hallmark {
namespace {

TEST(Integer, DivisionIsFloorAndTotal) {
  for (int x = -7; x <= 7; ++x)
    for (int y = -3; y <= 3; ++y) {
      const Integer q = floor_div(x, y), r = floor_mod(x, y);
      EXPECT_EQ(q * y + r, x);
      if (y == 0) {
        EXPECT_EQ(q, 0);  // the total model: x div 0 = 0, x mod 0 = x
      } else {
        EXPECT_TRUE(y > 0 ? (0 <= r && r < y) : (y < r && r <= 0)) << x << " " << y;
      }
    }
}

TEST(Integer, ConversionsKeepTheValueOrSayNo) {
  const std::int64_t low = std::numeric_limits<std::int64_t>::min();
  const std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(to_i64(from_i64(low)), low);
  EXPECT_EQ(to_u64(from_u64(high)), high);
  EXPECT_FALSE(to_i64(from_u64(high)));
  EXPECT_FALSE(to_u64(-1));
  EXPECT_FALSE(to_i64(from_i64(low) - 1));
  EXPECT_EQ(power_of_two(64), from_u64(high) + 1);
}

TEST(Integer, RationalsOfDoublesAreExact) {
  EXPECT_EQ(exact_rational(0.1), Rational("3602879701896397/36028797018963968"));
  EXPECT_EQ(exact_rational(-0.0), 0);
  EXPECT_THROW(exact_rational(std::nan("")), InternalError);
  EXPECT_THROW(exact_rational(INFINITY), InternalError);
}

}  // namespace
}  // namespace hallmark
