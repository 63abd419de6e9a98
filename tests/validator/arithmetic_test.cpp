// Bit operations as polynomials: right for every value of the variables.
#include "validator/symbolic/arithmetic.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace hallmark::validator {
namespace {

using calculus::Term;
using ir::Opcode;

constexpr long x_extent = 24, y_extent = 8;
const Term x = calculus::symbol("x"), y = calculus::symbol("y");

// Decides by trying all values: nothing is believed that is wrong.
bool for_all(const std::vector<Term>& facts, Term goal) {
  for (long i = 0; i < x_extent; ++i)
    for (long j = 0; j < y_extent; ++j) {
      const calculus::Substitution at{{x, calculus::integer(i)}, {y, calculus::integer(j)}};
      bool admitted = true;
      for (Term fact : facts) admitted = admitted && calculus::substitute(fact, at) == calculus::truth(true);
      if (admitted && calculus::substitute(goal, at) != calculus::truth(true)) return false;
    }
  return true;
}

Term random_operand(std::mt19937& random) {
  const Term v = random() % 2 == 0 ? x : y;
  const long c = 1L << (random() % 6), d = 1L << (random() % 3), e = 2L << (random() % 2);
  switch (random() % 6) {
    case 0:
      return calculus::integer(static_cast<long>(random() % 64));
    case 5:  // most of the bits
      return calculus::integer(-static_cast<long>(random() % 64));
    case 1:
      return calculus::scale(c, v);
    case 2:  // c * ((v / d) mod e)
      return calculus::scale(
          c, calculus::subtract(calculus::floor_div(v, calculus::integer(d)),
                                calculus::scale(e, calculus::floor_div(v, calculus::integer(d * e)))));
    case 3:
      return calculus::add(calculus::scale(c, calculus::floor_div(v, calculus::integer(d))),
                           calculus::integer(-3));
    default:
      return calculus::add(v, calculus::scale(32, v == x ? y : x));
  }
}

TEST(Arithmetic, BitOperationsAreRightForEveryValue) {
  std::mt19937 random(7);
  int checked = 0, kept = 0;
  const Scope scope = Context::make({calculus::in_range(x, calculus::integer(x_extent)),
                                     calculus::in_range(y, calculus::integer(y_extent))});
  for (int n = 0; n < 1500; ++n) {
    Prover prover(for_all);
    Arithmetic arithmetic(prover, true);
    Term a = random_operand(random), b = random_operand(random);
    const Opcode opcode = std::array{Opcode::bit_and, Opcode::bit_or, Opcode::bit_xor}[random() % 3];
    if (random() % 4 == 0) b = arithmetic.operate(Opcode::bit_or, b, random_operand(random), 32, scope);
    if (b == nullptr) continue;
    const Term result = arithmetic.operate(opcode, a, b, 32, scope);
    if (result == nullptr) continue;
    for (long i = 0; i < x_extent; ++i)
      for (long j = 0; j < y_extent; ++j) {
        const calculus::Substitution at{{x, calculus::integer(i)}, {y, calculus::integer(j)}};
        const Integer* p = calculus::as_integer(calculus::substitute(a, at));
        const Integer* q = calculus::as_integer(calculus::substitute(b, at));
        const Integer* r = calculus::as_integer(calculus::substitute(result, at));
        if (p == nullptr || q == nullptr || r == nullptr) {
          ++kept;  // an operation that stays opaque
          continue;
        }
        const std::uint32_t u = static_cast<std::uint32_t>(floor_mod(*p, power_of_two(32)).get_ui()),
                            v = static_cast<std::uint32_t>(floor_mod(*q, power_of_two(32)).get_ui());
        const std::uint32_t wanted = opcode == Opcode::bit_and  ? (u & v)
                                     : opcode == Opcode::bit_or ? (u | v)
                                                                : (u ^ v);
        ASSERT_EQ(floor_mod(*r, power_of_two(32)), from_u64(wanted)) << i << ' ' << j << ' ' << n;
        ++checked;
      }
  }
  EXPECT_GT(checked, 50000);
}

// What nvcc makes of a division by a constant, ((n - q) / 2 + q) / 2^s with q = n * m / 2^k, and its parts.
TEST(Arithmetic, QuotientsOfQuotientsAreRightForEveryValue) {
  std::mt19937 random(11);
  const Scope scope = Context::make({calculus::in_range(x, calculus::integer(x_extent)),
                                     calculus::in_range(y, calculus::integer(y_extent))});
  int simple = 0;
  const auto below = [&](unsigned long bound) {
    return calculus::integer(static_cast<long>(random() % bound));
  };
  for (int n = 0; n < 400; ++n) {
    Prover prover(for_all);
    Arithmetic arithmetic(prover, true);
    const long d = 2 + static_cast<long>(random() % 9), k = 1 + static_cast<long>(random() % 9);
    const Term whole = calculus::add({calculus::scale(1 + static_cast<long>(random() % 40), x), y, below(9)});
    const Term q = calculus::floor_div(whole, calculus::integer(d));
    // Mostly such that d + k divides: then the quotient is that of the inner division.
    const long divisor = random() % 4 == 0 ? 2 + static_cast<long>(random() % 20) : d + k;
    const Term p = calculus::add(whole, calculus::scale(k, q));
    const Term result = arithmetic.divide(p, Integer(divisor), scope);
    if (result == nullptr) continue;
    if (result == q) ++simple;
    for (long i = 0; i < x_extent; ++i)
      for (long j = 0; j < y_extent; ++j) {
        const calculus::Substitution at{{x, calculus::integer(i)}, {y, calculus::integer(j)}};
        const Integer* v = calculus::as_integer(calculus::substitute(p, at));
        const Integer* r = calculus::as_integer(calculus::substitute(result, at));
        ASSERT_TRUE(v != nullptr && r != nullptr);
        ASSERT_EQ(*r, floor_div(*v, Integer(divisor))) << i << ' ' << j << ' ' << n;
      }
  }
  EXPECT_GT(simple, 200);
}

// A row's number in an element's flat index: the part of the dividend that decides nothing goes.
TEST(Arithmetic, QuotientsWithoutASmallRestAreRightForEveryValue) {
  std::mt19937 random(23);
  const Scope scope = Context::make({calculus::in_range(x, calculus::integer(x_extent)),
                                     calculus::in_range(y, calculus::integer(y_extent))});
  int shorter = 0;
  const auto below = [&](unsigned long bound) { return static_cast<long>(random() % bound); };
  for (int n = 0; n < 1000; ++n) {
    Prover prover(for_all);
    Arithmetic arithmetic(prover, true);
    const long stride = 8 + below(24), divisor = stride * (1 + below(8));
    const Term p = calculus::add({calculus::scale(stride * (1 + below(3)), x), calculus::scale(below(3), y),
                                  calculus::integer(below(50) - 25)});
    const Term result = arithmetic.divide(p, Integer(divisor), scope);
    ASSERT_NE(result, nullptr);
    if (result != calculus::floor_div(p, calculus::integer(divisor))) ++shorter;
    for (long i = 0; i < x_extent; ++i)
      for (long j = 0; j < y_extent; ++j) {
        const calculus::Substitution at{{x, calculus::integer(i)}, {y, calculus::integer(j)}};
        const Integer* v = calculus::as_integer(calculus::substitute(p, at));
        const Integer* r = calculus::as_integer(calculus::substitute(result, at));
        ASSERT_TRUE(v != nullptr && r != nullptr);
        ASSERT_EQ(*r, floor_div(*v, Integer(divisor))) << i << ' ' << j << ' ' << n;
      }
  }
  EXPECT_GT(shorter, 100);
}

}  // namespace
}  // namespace hallmark::validator
