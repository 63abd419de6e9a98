#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "evaluator/evaluator.h"

namespace hallmark::evaluator {
namespace {

using namespace calculus;

const Sort real = Sort::real();

Term n(long value) {
  return integer(Integer(value));
}

Tensor floats(std::vector<std::int64_t> extents, const std::vector<float>& values) {
  auto data = std::make_shared<TensorData>();
  data->format = Format::f32;
  data->extents = std::move(extents);
  data->bytes.resize(values.size() * sizeof(float));
  std::memcpy(data->bytes.data(), values.data(), data->bytes.size());
  return Tensor(data);
}

// C[i, j] = sum(k < K) A[i, k] * B[k, j]
Program matmul(Sort sort) {
  Program program;
  const Term m = symbol("M"), p = symbol("N"), q = symbol("K");
  program.symbols = {{"M", 1, {}}, {"N", 1, {}}, {"K", 0, {}}};
  program.inputs = {{"A", Format::f32, {m, q}}, {"B", Format::f32, {q, p}}};
  const Term k = fresh_variable("k");
  const Term body = sum(k, q, apply(Op::mul, {load("A", {axis(0), k}, sort), load("B", {k, axis(1)}, sort)}));
  program.definitions = {{{"C", Format::f32, {m, p}}, {"i", "j"}, body, ""}};
  program.outputs = {"C"};
  return program;
}

TEST(Program, MatmulInDoubleExactAndFloat) {
  const Tensors inputs{{"A", floats({2, 3}, {1, 2, 3, 4, 5, 6})}, {"B", floats({3, 1}, {0.5F, -1, 2})}};
  const Symbols symbols{{"M", 2}, {"N", 1}, {"K", 3}};
  const Tensors in_double = evaluate(matmul(real), symbols, inputs);
  EXPECT_EQ(in_double.at("C").number(0), 4.5);
  EXPECT_EQ(in_double.at("C").number(1), 9);
  const Tensors exact = evaluate(matmul(real), symbols, inputs, {.reals = Reals::exact});
  EXPECT_EQ(exact.at("C").exact(1), 9);
  const Tensors rounded = evaluate(matmul(Sort::floating(Format::f32)), symbols, inputs);
  ASSERT_NE(rounded.at("C").encoded(), nullptr);
  EXPECT_EQ(rounded.at("C").number(0), 4.5);
}

TEST(Program, FloatSumRoundsEachStep) {
  // 2^24 + 1 + 1 in f32: each 1 is lost from the left, not from the right.
  const Tensors inputs{{"A", floats({1, 3}, {16777216, 1, 1})}, {"B", floats({3, 1}, {1, 1, 1})}};
  const Symbols symbols{{"M", 1}, {"N", 1}, {"K", 3}};
  EXPECT_EQ(evaluate(matmul(Sort::floating(Format::f32)), symbols, inputs).at("C").number(0), 16777216);
  EXPECT_EQ(evaluate(matmul(real), symbols, inputs).at("C").number(0), 16777218);
}

TEST(Program, WrongInputsAreUserErrors) {
  const Symbols symbols{{"M", 2}, {"N", 1}, {"K", 3}};
  const Tensors missing{{"A", floats({2, 3}, {1, 2, 3, 4, 5, 6})}};
  EXPECT_THROW(evaluate(matmul(real), symbols, missing), UserError);
  Tensors misshapen = missing;
  misshapen["B"] = floats({1, 3}, {1, 2, 3});
  EXPECT_THROW(evaluate(matmul(real), symbols, misshapen), UserError);
  EXPECT_THROW(evaluate(matmul(real), {{"M", 0}, {"N", 1}, {"K", 3}}, misshapen), UserError);
}

TEST(Program, UnneededDefinitionsAreNotEvaluated) {
  Program program = matmul(real);
  // Would read outside A.
  program.definitions.push_back({{"D", Format::f32, {n(1)}}, {"i"}, load("A", {n(99), axis(0)}, real), ""});
  const Symbols symbols{{"M", 1}, {"N", 1}, {"K", 1}};
  const Tensors inputs{{"A", floats({1, 1}, {3})}, {"B", floats({1, 1}, {5})}};
  EXPECT_EQ(evaluate(program, symbols, inputs).at("C").number(0), 15);
  program.outputs = {"D"};
  EXPECT_THROW(evaluate(program, symbols, inputs), UserError);
}

TEST(Element, GuardsKeepReadsInside) {
  const Tensors tensors{{"X", floats({3}, {7, 8, 9})}};
  const Term i = subtract(axis(0), n(1));
  const Term body = select(both(at_most(n(0), i), less(i, n(3))), load("X", {i}, real), real_constant(-1));
  const Definition padded{{"Y", Format::f32, {n(5)}}, {"i"}, body, ""};
  const Tensor y = evaluate(padded, {}, {}, tensors);
  EXPECT_EQ((std::vector<double>{-1, 7, 8, 9, -1}), **y.doubles());
  EXPECT_EQ(std::get<double>(evaluate_element(padded, {}, {}, tensors, {2})), 8);
}

TEST(Element, ArgmaxWithTwoStates) {
  const Tensors tensors{{"X", floats({5}, {3, 9, 2, 9, 1})}};
  FoldParts parts;
  parts.variable = fresh_variable("k");
  parts.extent = n(5);
  parts.states = {fresh_variable("best", real), fresh_variable("at", Sort::integer(Format::i64))};
  parts.init = {extreme(-1), int_constant(Format::i64, 0)};
  const Term x = load("X", {parts.variable}, real);
  const Term better = compare(Op::lt, parts.states[0], x);
  parts.step = {select(better, x, parts.states[0]),
                select(better, from_index(parts.variable, Sort::integer(Format::i64)), parts.states[1])};
  EXPECT_EQ(std::get<std::int64_t>(evaluate_term(fold(parts, 1), {}, tensors)), 1);
  EXPECT_EQ(std::get<Exact>(evaluate_term(fold(parts, 0), {}, tensors, {}, Reals::exact)).value, 9);
}

// 1e0 + tiny parts: each order gives the sum that its definition says, and no other.
TEST(Element, OrdersOfAFloatSum) {
  const Sort f32 = Sort::floating(Format::f32);
  const float u = std::ldexp(1.0F, -24);
  const Tensors tensors{{"X", floats({4}, {1, u, u, u})}};
  FoldParts parts;
  parts.variable = fresh_variable("k");
  parts.extent = n(4);
  parts.states = {fresh_variable("s", f32)};
  parts.right_states = {fresh_variable("t", f32)};
  parts.init = {float_constant(Format::f32, 0)};
  parts.step = {apply(Op::add, {parts.states[0], load("X", {parts.variable}, f32)})};
  parts.combine = {apply(Op::add, {parts.states[0], parts.right_states[0]})};
  const auto value = [&](const Order* order) {
    parts.order = order;
    return std::get<double>(evaluate_term(fold(parts), {}, tensors));
  };
  const double ulp = std::ldexp(1.0, -23);
  const Order* tree4 = make_order({Order::Kind::tree, n(4), nullptr, nullptr, {}});
  const Order* tree2 = make_order({Order::Kind::tree, n(2), nullptr, nullptr, {}});
  EXPECT_EQ(value(seq_order()), 1);
  EXPECT_EQ(value(tree4), 1 + ulp);  // (1 + u) + (u + u)
  // Lanes 0, 2 and 1, 3: (1 + u) + (u + u).
  EXPECT_EQ(value(make_order({Order::Kind::strided, n(2), tree2, nullptr, {}})), 1 + ulp);
  // Three lanes: (1 + u), u, u from the left: 1.
  EXPECT_EQ(value(make_order({Order::Kind::strided, n(3), seq_order(), nullptr, {}})), 1);
  EXPECT_EQ(value(make_order({Order::Kind::blocked, n(2), tree2, tree2, {}})), 1 + ulp);
  EXPECT_THROW(value(tree2), Refusal);
  EXPECT_THROW(value(make_order({Order::Kind::mma, nullptr, nullptr, nullptr, "m16n8k8"})), Refusal);
}

TEST(Exact, TotalModelAndRefusals) {
  const auto value = [](Op op, const std::vector<Term>& arguments) {
    return std::get<Exact>(evaluate_term(apply(op, arguments), {}, {}, {}, Reals::exact)).value;
  };
  const auto c = [](long p, long q = 1) { return real_constant(Rational(p, q)); };
  EXPECT_EQ(value(Op::div, {c(3), c(0)}), 0);
  EXPECT_EQ(value(Op::div, {c(3), c(-6)}), Rational(-1, 2));
  EXPECT_EQ(value(Op::mod, {c(-7), c(3)}), 2);
  EXPECT_EQ(value(Op::rem, {c(-7), c(3)}), -1);
  EXPECT_EQ(value(Op::sqrt, {c(9, 4)}), Rational(3, 2));
  EXPECT_EQ(value(Op::pow, {c(2, 3), c(-2)}), Rational(9, 4));
  EXPECT_EQ(value(Op::round_even, {c(5, 2)}), 2);
  EXPECT_EQ(value(Op::round_even, {c(-7, 2)}), -4);
  EXPECT_EQ(value(Op::exp, {c(0)}), 1);
  EXPECT_EQ(value(Op::exponent, {c(7, 8)}), -1);
  EXPECT_THROW(value(Op::exp, {c(1)}), Refusal);
  EXPECT_THROW(value(Op::sqrt, {c(2)}), Refusal);
  EXPECT_THROW(value(Op::add, {extreme(-1), c(1)}), Refusal);
  EXPECT_EQ(value(Op::max, {extreme(-1), c(-5)}), -5);
}

TEST(Exact, DoubleDividesAsIeee) {
  const Term division = apply(Op::div, {real_constant(1), real_constant(0)});
  EXPECT_TRUE(std::isinf(std::get<double>(evaluate_term(division, {}, {}))));
}

TEST(Integers, WrapTruncateAndShift) {
  const auto value = [](Op op, Format format, long a, long b) {
    return std::get<std::int64_t>(
        evaluate_term(apply(op, {int_constant(format, a), int_constant(format, b)}), {}, {}));
  };
  EXPECT_EQ(value(Op::add, Format::i8, 127, 1), -128);
  EXPECT_EQ(value(Op::div, Format::i32, -7, 2), -3);
  EXPECT_EQ(value(Op::div, Format::i8, -128, -1), -128);
  EXPECT_EQ(value(Op::div, Format::u8, 200, 3), 66);
  EXPECT_EQ(value(Op::div, Format::i32, 5, 0), 0);
  EXPECT_EQ(value(Op::mod, Format::i32, -7, 3), 2);
  EXPECT_EQ(value(Op::mod, Format::i32, -7, 0), 0);
  EXPECT_EQ(value(Op::rem, Format::i32, -7, 3), -1);
  EXPECT_EQ(value(Op::shift_left, Format::u8, 3, 7), 128);
  EXPECT_EQ(value(Op::shift_left, Format::u8, 3, 8), 0);
  EXPECT_EQ(value(Op::shift_right, Format::i32, -8, 1), -4);
  EXPECT_EQ(value(Op::shift_right, Format::i32, -8, 99), -1);
  EXPECT_EQ(value(Op::max, Format::u8, 200, 100), 200);
  EXPECT_EQ(value(Op::max, Format::i8, -56, 100), 100);
  EXPECT_EQ(value(Op::pow, Format::i64, -3, 3), -27);
}

TEST(Casts, TruncateSaturateAndRound) {
  const auto to_int = [](const Rational& x, Format format, Reals reals = Reals::in_double) {
    return std::get<std::int64_t>(
        evaluate_term(cast(real_constant(x), Sort::integer(format), format), {}, {}, {}, reals));
  };
  for (const Reals reals : {Reals::in_double, Reals::exact}) {
    EXPECT_EQ(to_int(Rational(-5, 2), Format::i32, reals), -2);
    EXPECT_EQ(to_int(300, Format::i8, reals), 127);
    EXPECT_EQ(to_int(-300, Format::u8, reals), 0);
    EXPECT_EQ(to_int(Rational(power_of_two(70)), Format::u64, reals), -1);
  }
  const Term third = cast(real_constant(Rational(1, 3)), real, Format::f16);
  EXPECT_EQ(std::get<Exact>(evaluate_term(third, {}, {}, {}, Reals::exact)).value, Rational(1365, 4096));
  const Term wrapped = cast(int_constant(Format::i32, 300), Sort::integer(Format::u8), Format::u8);
  EXPECT_EQ(std::get<std::int64_t>(evaluate_term(wrapped, {}, {})), 44);
  // 2^53 + 1 does not fit a double; rounding straight to f32 must not go through one.
  const Integer odd = power_of_two(53) + power_of_two(29) + 1;
  const Term big = cast(int_constant(Format::i64, odd), Sort::floating(Format::f32), Format::f32);
  EXPECT_EQ(std::get<double>(evaluate_term(big, {}, {})), std::ldexp(1.0, 53) + std::ldexp(1.0, 30));
}

}  // namespace
}  // namespace hallmark::evaluator
