// Forms that stand for each other, against the reference evaluator: every fifth encoding of the 16-bit
// formats, and specials, halfway cases and random ones of the wider formats.
#include "validator/checks/identities.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "evaluator/evaluator.h"
#include "validator/symbolic/clamped.h"

namespace hallmark::validator {
namespace {

using calculus::Format;
using calculus::Op;
using calculus::Sort;
using calculus::Term;

constexpr Format floats[]{Format::f16, Format::bf16, Format::f32, Format::f64};

std::vector<std::uint64_t> samples(Format format) {
  std::vector<std::uint64_t> out;
  const unsigned width = calculus::storage_bits(format);
  if (width <= 16) {
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << width; bits += 5) out.push_back(bits);
    return out;
  }
  std::mt19937_64 random(7);
  const double values[]{0.0,      1.0 + 0x1p-11, 1.0 + 0x1p-9, 65504.0,   65519.999, 65520.0, 0x1p-24,
                        0x1p-25,  0x1.8p-25,     0x1p-133,     0x1p-134,  0x1p-149,  3e38,    3.4e38,
                        INFINITY, NAN,           1 + 0x1p-24,  1.0 / 3.0, 2047.5,    0x1p-126};
  for (const double v : values)
    for (const double signed_value : {v, -v})
      out.push_back(width == 64 ? std::bit_cast<std::uint64_t>(signed_value)
                                : std::bit_cast<std::uint32_t>(static_cast<float>(signed_value)));
  for (int i = 0; i < 2000; ++i) out.push_back(width == 64 ? random() : random() >> 32);
  return out;
}

evaluator::Tensor tensor(Format format, const std::vector<std::uint64_t>& bits) {
  auto data = std::make_shared<calculus::TensorData>();
  data->format = format;
  data->extents = {static_cast<std::int64_t>(bits.size())};
  data->bytes.resize(bits.size() * calculus::storage_bits(format) / 8);
  for (std::size_t i = 0; i < bits.size(); ++i)
    evaluator::write_bits(data->bytes.data(), calculus::storage_bits(format), static_cast<std::int64_t>(i),
                          bits[i]);
  return evaluator::Tensor(evaluator::Tensor::Encoded(std::move(data)));
}

// Both terms over x[axis 0], element by element.
void expect_equal(Term a, Term b, Format format, const std::vector<std::uint64_t>& bits) {
  const evaluator::Tensors tensors{{"x", tensor(format, bits)}};
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const std::vector<std::int64_t> at{static_cast<std::int64_t>(i)};
    const double u = std::get<double>(evaluator::evaluate_term(a, {}, tensors, at));
    const double v = std::get<double>(evaluator::evaluate_term(b, {}, tensors, at));
    ASSERT_TRUE((std::isnan(u) && std::isnan(v)) ||
                std::bit_cast<std::uint64_t>(u) == std::bit_cast<std::uint64_t>(v))
        << std::hex << bits[i] << ": " << u << " and " << v;
  }
}

Term x(Format format) {
  return calculus::load("x", {calculus::axis(0)}, calculus::stored_sort(format));
}
Term converted(Term a, Format sort, Format format) {
  return calculus::cast(a, Sort::floating(sort), format);
}

TEST(Identities, OfTwoConversionsHoldForEveryValue) {
  int simpler = 0;
  for (const Format from : floats)
    for (const Format first_sort : floats)
      for (const Format first : floats)
        for (const Format second : floats) {
          const Term twice = converted(converted(x(from), first_sort, first), second, second);
          const Term once = normalise(twice);
          if (once == twice) continue;
          ++simpler;
          expect_equal(twice, once, from, samples(from));
          if (HasFatalFailure())
            FAIL() << static_cast<int>(from) << ' ' << static_cast<int>(first_sort) << ' '
                   << static_cast<int>(first) << ' ' << static_cast<int>(second);
        }
  EXPECT_GT(simpler, 20);
}

// Two roundings are not one: these must stay as they are.
TEST(Identities, TwoRoundingsOfDifferentFormatsStay) {
  const Term through_bf16 =
      converted(converted(x(Format::f32), Format::f32, Format::bf16), Format::f16, Format::f16);
  EXPECT_EQ(normalise(through_bf16), through_bf16);
  const Term through_f32 =
      converted(converted(x(Format::f64), Format::f32, Format::f32), Format::f16, Format::f16);
  EXPECT_EQ(normalise(through_f32), through_f32);
  const Term rounded = converted(x(Format::f32), Format::f32, Format::f16);
  EXPECT_EQ(normalise(rounded), rounded);
}

TEST(Identities, OfIntegersAsFloatsHoldForEveryValue) {
  for (const Format from : {Format::i8, Format::u8, Format::i16, Format::u16, Format::i32, Format::u32}) {
    const Term twice = converted(x(from), Format::f32, Format::f64), once = normalise(twice);
    EXPECT_NE(once, twice);
    std::vector<std::uint64_t> bits;
    const unsigned width = calculus::storage_bits(from);
    std::mt19937_64 random(11);
    for (int i = 0; i < 3000; ++i) bits.push_back(random() >> (64 - width));
    for (const std::uint64_t b : {0x1000001ull, 0x1000003ull, 0x7fffffffull, 0x80000000ull, 0xffffffffull})
      bits.push_back(b & ((std::uint64_t{1} << width) - 1));
    expect_equal(twice, once, from, bits);
  }
  // 2^53 + 1 is rounded twice on its way through a double.
  const Term wide = converted(x(Format::i64), Format::f32, Format::f64);
  EXPECT_EQ(normalise(wide), wide);
}

TEST(Identities, ALiteralNumberIsAConstantWhereTheFormatHoldsIt) {
  for (const long n : {0L, 1L, -3L, 7L, 255L, -128L, 1L << 24, -(1L << 24), (1L << 24) + 1, 1L << 40}) {
    const Term number = calculus::from_index(calculus::integer(n), Sort::floating(Format::f32));
    const Term once = normalise(number);
    EXPECT_EQ(once->kind == calculus::Kind::constant, std::abs(n) <= 1L << 24) << n;
    expect_equal(number, once, Format::f32, {0});
  }
}

Term constant(float value) {
  return calculus::float_constant(Format::f32, std::bit_cast<std::uint32_t>(value));
}
Term extremum(Op op, Term a, Term b) {
  return calculus::operation(op, {a, b}, Sort::floating(Format::f32), calculus::Rounding::nearest);
}

TEST(Clamped, OnlyBetweenTwoFiniteConstantsInOrder) {
  const Term element = x(Format::f32);
  const auto between = [&](float low, float high) {
    return clamped(extremum(Op::minnum, constant(high), extremum(Op::maxnum, constant(low), element)));
  };
  ASSERT_TRUE(between(0, 255));
  EXPECT_EQ(between(0, 255)->high, 255);
  ASSERT_TRUE(clamped(extremum(Op::maxnum, extremum(Op::minnum, element, constant(1)), constant(-1))));
  EXPECT_FALSE(between(3, 2));
  EXPECT_FALSE(between(0, INFINITY));
  EXPECT_FALSE(between(-INFINITY, 1));
  EXPECT_FALSE(between(0, NAN));
  EXPECT_FALSE(clamped(extremum(Op::minnum, constant(1), element)));
  // NaN goes through maximum and minimum.
  EXPECT_FALSE(clamped(extremum(Op::minimum, constant(1), extremum(Op::maximum, constant(0), element))));
  EXPECT_FALSE(clamped(extremum(Op::minnum, constant(1), extremum(Op::minnum, constant(0), element))));
}

TEST(Clamped, TruncationFitsTheFormatOrIsNotKnown) {
  const Term element = x(Format::f32);
  const auto to = [&](float low, float high, Format format) {
    return truncated_in_range(
               extremum(Op::minnum, constant(high), extremum(Op::maxnum, constant(low), element)), format) !=
           nullptr;
  };
  EXPECT_TRUE(to(0, 255, Format::u8));
  EXPECT_TRUE(to(-0.5F, 255.5F, Format::u8));
  EXPECT_FALSE(to(-1, 255, Format::u8));
  EXPECT_FALSE(to(0, 256, Format::u8));
  EXPECT_TRUE(to(-128, 127, Format::i8));
  EXPECT_FALSE(to(-129, 127, Format::i8));
  EXPECT_TRUE(to(-128, 127, Format::i32));
  EXPECT_FALSE(to(0, 2147483648.0F, Format::i32));
}

}  // namespace
}  // namespace hallmark::validator
