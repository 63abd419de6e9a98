// Which constants of the second model count as roundings of what the first computes, and what they may stand
// before.
#include <gtest/gtest.h>

#include "pairs.h"

namespace hallmark::compare {
namespace {

// t = x + s with s = c + d in the first model and stored in the second; then `rest`, which makes y of t and
// s.
Case sums(const std::string& name, const std::string& c, const std::string& d, const std::string& stored,
          const std::string& type, const std::string& rest) {
  const std::string head = "(float[B, 3] x) => (" + type + "[B, 3] y) {\n";
  const auto constant = [](const char* tensor, const std::string& values) {
    return std::string(" ") + tensor + " = Constant <value = float[3] {" + values + "}> ()\n";
  };
  const std::string end = " t = Add(x, s)\n " + rest + " }";
  return {name, head + constant("c", c) + constant("d", d) + " s = Add(c, d)\n" + end,
          head + constant("s", stored) + end, State::proved, ""};
}

State state_of(const Case& c) {
  return run(c).front().outcome.state;
}

// 0.1 + 0.2 in f32 is not a value of f32, and 0.300000012 its rounding.
Case rounded(const std::string& name, const std::string& type, const std::string& rest) {
  return sums(name, "0.1, 1, 2", "0.2, 1, 2", "0.300000012, 2, 4", type, rest);
}

TEST(Rounded, AContinuousOutputIsEqualUpToIt) {
  EXPECT_EQ(state_of(rounded("relu", "float", "y = Relu(t)")), State::proved);
  EXPECT_EQ(state_of(rounded("leaky", "float", "y = LeakyRelu <alpha = 0.25> (t)")), State::proved);
  EXPECT_EQ(state_of(rounded("elu", "float", "y = Elu <alpha = 0.5> (t)")), State::proved);
  EXPECT_EQ(state_of(rounded("soft", "float", "y = Softmax <axis = 1> (t)")), State::proved);
  EXPECT_EQ(state_of(rounded("chosen", "float",
                             "z = Constant <value_float = 0.0> ()\n n = Less(t, z)\n q = Mul(t, t)\n"
                             " y = Where(n, q, t)")),
            State::proved);
}

TEST(Rounded, AStepIsAnotherComputation) {
  EXPECT_EQ(state_of(rounded("floor", "float", "y = Floor(t)")), State::unrun);
  EXPECT_EQ(state_of(rounded("less", "bool", "y = Less(x, s)")), State::unrun);
  EXPECT_EQ(state_of(rounded("whole", "int32", "y = Cast <to = 6> (t)")), State::unrun);
  EXPECT_EQ(state_of(rounded("behind", "float", "f = Floor(t)\n y = Exp(f)")), State::unrun);
  // The arms differ where the condition turns.
  EXPECT_EQ(state_of(rounded("thresholded", "float",
                             "z = Constant <value_float = 1.0> ()\n n = Less(t, z)\n q = Mul(t, t)\n"
                             " r = Add(q, z)\n y = Where(n, r, t)")),
            State::unrun);
}

TEST(Rounded, WhatTheFormatHasIsNotRounded) {
  const auto products = [](const std::string& name, const std::string& c, const std::string& d,
                           const std::string& stored) {
    const auto constant = [](const char* tensor, const std::string& values) {
      return std::string(" ") + tensor + " = Constant <value = float[3] {" + values + "}> ()\n";
    };
    const std::string head = "(float[B, 3] x) => (float[B, 3] y) {\n";
    return Case{
        name, head + constant("c", c) + constant("d", d) + " t = Mul(x, c)\n u = Mul(t, d)\n y = Floor(u) }",
        head + constant("s", stored) + " u = Mul(x, s)\n y = Floor(u) }", State::proved, ""};
  };
  EXPECT_EQ(state_of(products("exact_product", "1, 3, 2", "0.5, 1, 7", "0.5, 3, 14")), State::proved);
  EXPECT_EQ(state_of(products("rounded_product", "0.1, 3, 2", "0.1, 1, 7", "0.0100000007, 3, 14")),
            State::unrun);
  // 1.50000012 is no rounding of 1.5.
  EXPECT_NE(state_of(sums("no_sum", "1, 1, 2", "0.5, 1, 2", "1.50000012, 2, 4", "float", "y = Relu(t)")),
            State::proved);
}

TEST(Rounded, ACopyIsEqualOrAnotherConstant) {
  const auto product = [](const std::string& type, const std::string& values) {
    return "(" + type + "[3] x) => (" + type + "[3] y) { c = Constant <value = " + type + "[3] {" + values +
           "}> ()\n y = Mul(x, c) }";
  };
  EXPECT_NE(state_of({"copy", product("float", "0.1, 0.7, 3.3"), product("float", "0.100000009, 0.7, 3.3"),
                      State::unrun, ""}),
            State::proved);
  EXPECT_NE(state_of({"copy64", product("double", "0.1, 0.7, 3.3"),
                      product("double", "0.10000000149, 0.7, 3.3"), State::unrun, ""}),
            State::proved);
  const auto number = [](const std::string& type, const std::string& value) {
    return "(" + type + "[N] x) => (" + type + "[N] y) { c = Constant <value = " + type + " {" + value +
           "}> ()\n y = Mul(x, c) }";
  };
  EXPECT_NE(
      state_of({"number64", number("double", "0.1"), number("double", "0.10000000149"), State::unrun, ""}),
      State::proved);
  const auto leaky = [](const std::string& alpha) {
    return "(float[N] x) => (float[N] y) { y = LeakyRelu <alpha = " + alpha + "> (x) }";
  };
  EXPECT_NE(state_of({"alpha", leaky("0.01"), leaky("0.010000001"), State::unrun, ""}), State::proved);
}

// What was rounded to a narrow format, folded in another one, or computed in another one is not the same bit
// for bit.
TEST(Rounded, WhatIsRoundedElsewhereIsNotEqualBitForBit) {
  const std::vector<Case> cases{
      {"product_in_floats",
       R"((double[3] x) => (double[3] y) <float a = {0.1}, float b = {0.3}> {
         m = Mul(a, b)
         f = Cast<to = 11>(m)
         y = Add(x, f) })",
       R"((double[3] x) => (double[3] y) <float a = {0.1}, float b = {0.3}> {
         c = Cast<to = 11>(a)
         d = Cast<to = 11>(b)
         f = Mul(c, d)
         y = Add(x, f) })",
       State::unrun, ""},
      {"floor_in_doubles",
       R"((int64[2] x) => (int64[2] y) <float one = {1.0}, float n = {49.0}> {
         d = Div(one, n)
         m = Mul(d, n)
         r = Floor(m)
         e = Cast<to = 7>(r)
         y = Add(x, e) })",
       R"((int64[2] x) => (int64[2] y) { y = Identity(x) })", State::unrun, ""},
      {"means_in_halves",
       R"((float16[2, 4] x, float16[4] s) => (float16[2, 4] y) { y = LayerNormalization<stash_type = 1>(x, s) })",
       R"((float16[2, 4] x, float16[4] s) => (float16[2, 4] y) { y = LayerNormalization<stash_type = 10>(x, s) })",
       State::unrun, ""},
  };
  for (const Case& c : cases)
    for (const Obligation& o : run(c))
      if (o.outcome.state == State::proved && o.subject.rfind("output ", 0) == 0) {
        EXPECT_NE(o.strength, "bits") << c.name << " " << o.subject;
      }
}

TEST(Rounded, SizesThatTheSecondModelDoesNotTakeAreNamed) {
  const std::string slices = R"((float[R, K] x, float[L, 8] w) => (float[R, 8] y)
    <int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}> {
      s = Shape(x)
      k = Slice(s, one, two)
      v = Slice(w, zero, k, zero)
      y = MatMul(x, v) })";
  const std::string whole = "(float[R, K] x, float[L, 8] w) => (float[R, 8] y) { y = MatMul(x, w) }";
  const std::string fewer = "the sizes that the second model accepts";
  EXPECT_NE(verdict_of(run({"fewer", slices, whole, State::proved, "bits"})).find(fewer), std::string::npos);
  EXPECT_EQ(verdict_of(run({"alike", whole, whole, State::proved, "bits"})).find(fewer), std::string::npos);
}

}  // namespace
}  // namespace hallmark::compare
