#include "contract/number.h"

#include <gtest/gtest.h>

#include "contract/format_values.h"

namespace hallmark::contract {
namespace {

TEST(Number, ReadsDecimalHexadecimalAndFractionsExactly) {
  EXPECT_EQ(parse_number("0.1"), Rational(1, 10));
  EXPECT_EQ(parse_number("-1e-5"), Rational(-1, 100000));
  EXPECT_EQ(parse_number("+12.50"), Rational(25, 2));
  EXPECT_EQ(parse_number("0x1.8p-3"), Rational(3, 16));
  EXPECT_EQ(parse_number("-0x.8p1"), Rational(-1));
  EXPECT_EQ(parse_number("6/4"), Rational(3, 2));
  EXPECT_EQ(parse_number("3.4028234663852886e38"),
            Rational(Integer("340282346638528860000000000000000000000")));
}

TEST(Number, RefusesWhatIsNotAnExactFiniteNumber) {
  for (const char* text : {"", "-", "nan", "inf", "0x", "1e", "1e+", "1.2.3", "1/0", "1/", "1.5/2", "1 ",
                           "e5", ".", "1e99999", "0x1p99999", "--1"})
    EXPECT_FALSE(parse_number(text).has_value()) << text;
}

TEST(Number, PrintsWhatItReadsBack) {
  for (const char* text :
       {"0", "-1", "1/3", "1e-5", "0.001", "123456.789", "5.9604644775390625e-8", "-2/7", "1e300"}) {
    const Rational value = *parse_number(text);
    EXPECT_EQ(parse_number(print_number(value)), value) << text << " " << print_number(value);
  }
  EXPECT_EQ(print_number(Rational(1, 100000)), "1e-5");
  EXPECT_EQ(print_number(Rational(1, 1000)), "0.001");
  EXPECT_EQ(print_number(Rational(5, 2)), "2.5");
  EXPECT_EQ(print_number(Rational(-1, 3)), "-1/3");
}

TEST(FormatValues, RoundDownFindsTheNextValueBelow) {
  using calculus::Format;
  EXPECT_EQ(round_down(Rational(1, 10), Format::f32), Rational(3355443, 33554432));
  EXPECT_EQ(round_down(Rational(-1, 10), Format::f32), Rational(-13421773, 134217728));
  EXPECT_EQ(round_down(power_of_two_rational(-149), Format::f32), power_of_two_rational(-149));
  EXPECT_EQ(round_down(power_of_two_rational(-150), Format::f32), 0);
  EXPECT_EQ(round_down(Rational(-5, 2), Format::i8), -3);
  EXPECT_EQ(largest_value(Format::f16), 65504);
  EXPECT_EQ(largest_value(Format::f8e4m3), 448);
  EXPECT_EQ(least_value(Format::i8), -128);
}

}  // namespace
}  // namespace hallmark::contract
