// The exact rounding of the interpreter against the host's (which is IEEE for f32 and f64), and against the
// definition for the small formats.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <random>

#include "validator/interpreter/float_arithmetic.h"
#include "validator/interpreter/float_round.h"

namespace hallmark::validator::interpreter {
namespace {

using ir::Rounding;
using ir::Type;

std::uint32_t bits(float f) {
  return std::bit_cast<std::uint32_t>(f);
}

TEST(FloatRound, AgreesWithTheHostOnSums) {
  std::mt19937 random(1);
  for (int n = 0; n < 20000; ++n) {
    // Exponents close together, so that bits are lost in interesting places.
    const auto draw = [&] { return (random() & 0x807fffffu) | (100 + random() % 40) << 23; };
    const std::uint32_t a = draw(), b = draw();
    const float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
    const Rational sum = exact_value(Type::f32, a) + exact_value(Type::f32, b);
    if (sum != 0) {
      EXPECT_EQ(round_to(Type::f32, sum, Rounding::nearest_even), bits(x + y));
    }
    EXPECT_EQ(
        round_to(Type::f32, exact_value(Type::f32, a) * exact_value(Type::f32, b), Rounding::nearest_even),
        bits(x * y));
    EXPECT_EQ(
        round_to(Type::f32, exact_value(Type::f32, a) / exact_value(Type::f32, b), Rounding::nearest_even),
        bits(x / y));
    EXPECT_EQ(round_square_root(Type::f32, abs(exact_value(Type::f32, a)), Rounding::nearest_even),
              bits(std::sqrt(std::fabs(x))));
  }
}

TEST(FloatRound, DirectedRoundingsEncloseAndAreNeighbours) {
  std::mt19937_64 random(2);
  for (int n = 0; n < 5000; ++n) {
    const Rational value(Integer(static_cast<unsigned long>(random())),
                         Integer(static_cast<unsigned long>(random() | 1)));
    for (Type t : {Type::f16, Type::bf16, Type::f32, Type::f64}) {
      const std::uint64_t down = round_to(t, value, Rounding::down), up = round_to(t, value, Rounding::up);
      const std::uint64_t zero = round_to(t, value, Rounding::toward_zero),
                          near = round_to(t, value, Rounding::nearest_even);
      EXPECT_EQ(zero, down);
      EXPECT_TRUE(near == down || near == up);
      if (classify(t, up).kind == FloatParts::Kind::infinite) continue;
      EXPECT_LE(exact_value(t, down), value);
      EXPECT_GE(exact_value(t, up), value);
      EXPECT_LE(up - down, 1u);
      EXPECT_EQ(round_to(t, -value, Rounding::down), up | sign_bit(t));
    }
  }
}

TEST(FloatRound, EveryHalfRoundTrips) {
  for (Type t : {Type::f16, Type::bf16})
    for (std::uint64_t b = 0; b < 0x10000; ++b) {
      const FloatParts parts = classify(t, b);
      if (parts.kind != FloatParts::Kind::finite) continue;
      ASSERT_EQ(round_to(t, exact_value(t, b), Rounding::nearest_even), b);
      ASSERT_EQ(exact_rational(to_double(t, b)), exact_value(t, b));
    }
}

TEST(FloatRound, OverflowGoesWhereTheDirectionSays) {
  const Rational huge(power_of_two(200));
  EXPECT_EQ(round_to(Type::f32, huge, Rounding::nearest_even), 0x7f800000u);
  EXPECT_EQ(round_to(Type::f32, huge, Rounding::toward_zero), 0x7f7fffffu);
  EXPECT_EQ(round_to(Type::f32, huge, Rounding::down), 0x7f7fffffu);
  EXPECT_EQ(round_to(Type::f32, -huge, Rounding::down), 0xff800000u);
  EXPECT_EQ(round_to(Type::f32, -huge, Rounding::up), 0xff7fffffu);
  EXPECT_EQ(round_to(Type::f32, Rational(1, power_of_two(200)), Rounding::up), 1u);
  EXPECT_EQ(round_to(Type::f32, Rational(1, power_of_two(200)), Rounding::nearest_even), 0u);
}

// Exact paths (other roundings, f16) against the hardware paths (f32, f64 to nearest).
TEST(FloatOperation, FusedMultiplyAddRoundsOnce) {
  std::mt19937 random(3);
  ir::Instruction fma;
  fma.opcode = ir::Opcode::float_fma;
  for (int n = 0; n < 5000; ++n) {
    const auto draw = [&] { return std::uint64_t{(random() & 0x807fffffu) | (110 + random() % 30) << 23}; };
    const std::array<std::uint64_t, 3> in{draw(), draw(), draw()};
    fma.rounding = Rounding::nearest_even;
    const std::uint64_t near = float_operation(fma, Type::f32, Type::f32, in).bits;
    const Rational exact =
        exact_value(Type::f32, in[0]) * exact_value(Type::f32, in[1]) + exact_value(Type::f32, in[2]);
    if (exact != 0) {
      EXPECT_EQ(near, round_to(Type::f32, exact, Rounding::nearest_even));
    }
    fma.rounding = Rounding::up;
    if (exact != 0) {
      EXPECT_EQ(float_operation(fma, Type::f32, Type::f32, in).bits,
                round_to(Type::f32, exact, Rounding::up));
    }
  }
}

TEST(FloatOperation, SpecialValues) {
  const std::uint64_t nan = 0x7fffffff, inf = 0x7f800000, one = 0x3f800000, minus_zero = 0x80000000;
  ir::Instruction i;
  const auto run = [&](ir::Opcode op, std::vector<std::uint64_t> in, Rounding r = Rounding::nearest_even) {
    i.opcode = op;
    i.rounding = r;
    return float_operation(i, Type::f32, Type::f32, in).bits;
  };
  EXPECT_EQ(run(ir::Opcode::float_add, {inf, inf | 0x80000000}), nan);
  EXPECT_EQ(run(ir::Opcode::float_mul, {inf, 0}), nan);
  EXPECT_EQ(run(ir::Opcode::float_fma, {inf, 0, one}), nan);
  EXPECT_EQ(run(ir::Opcode::float_fma, {one, one, inf}), inf);
  EXPECT_EQ(run(ir::Opcode::float_add, {minus_zero, minus_zero}), minus_zero);
  EXPECT_EQ(run(ir::Opcode::float_add, {minus_zero, 0}), 0u);
  EXPECT_EQ(run(ir::Opcode::float_add, {minus_zero, 0}, Rounding::down), minus_zero);
  EXPECT_EQ(run(ir::Opcode::float_add, {0, 0}, Rounding::down), 0u);
  EXPECT_EQ(run(ir::Opcode::float_div, {one, minus_zero}), inf | 0x80000000);
  EXPECT_EQ(run(ir::Opcode::float_div, {0, 0}), nan);
  EXPECT_EQ(run(ir::Opcode::float_sqrt, {minus_zero}), minus_zero);
}

}  // namespace
}  // namespace hallmark::validator::interpreter
