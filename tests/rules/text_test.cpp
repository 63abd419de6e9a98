// Rule texts: classes of axes put in, what makes a class opaque, errors with their places, hostile texts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "rules/prove_rule.h"
#include "rules/rule_text.h"

namespace hallmark::rules {
namespace {

std::string rule(const std::string& body) {
  return "hallmark 1\nrule r\n" + body;
}

std::string code_of(const std::string& text) {
  const auto start = std::chrono::steady_clock::now();
  std::string code = "none";
  try {
    parse_rules(text, "hostile.hm");
  } catch (const UserError& error) {
    code = error.code();
    EXPECT_GT(error.where().line, 0u);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  return code;
}

TEST(Classes, AreRepeatedForEachAxis) {
  EXPECT_EQ(with_ranks("  left Y : f32[..b, i < M] = x[..b, i]\n", {{"b", 2}}),
            "  left Y : f32[b1_ < b1, b2_ < b2, i < M] = x[b1_, b2_, i]\n");
  EXPECT_EQ(with_ranks("  left Y : f32[..b, i < M] = x[..b, i]\n", {{"b", 0}}),
            "  left Y : f32[i < M] = x[i]\n");
  EXPECT_EQ(with_ranks("  left Y : f32[i.c < N.c] = if all.c(i.c < M.c) then x[i.c] else 0\n", {{"c", 2}}),
            "  left Y : f32[i_c1 < N_c1, i_c2 < N_c2] = if ((i_c1 < M_c1) and (i_c2 < M_c2)) then x[i_c1, "
            "i_c2] else 0\n");
  EXPECT_EQ(with_ranks("  left Y : f32[] = sum(..b) x[..b]\n", {{"b", 1}}),
            "  left Y : f32[] = sum(b1_ < b1)  x[b1_]\n");
}

TEST(Classes, AreOpaqueWhereTheyStandAtTheSamePlaces) {
  const auto opaque = [](const std::string& body) { return classes_of(body).at(0).opaque; };
  EXPECT_TRUE(
      opaque("class b\nsize M\ninput x : f32[..b, M]\nleft Y : f32[..b, i < M] = x[..b, i]\n"
             "right Y : f32[..b, i < M] = x[..b, i]\n"));
  // Read at another place than declared.
  EXPECT_FALSE(
      opaque("class b\nsize M\ninput x : f32[..b, M]\nleft Y : f32[..b, i < M] = x[..b, i]\n"
             "right Y : f32[..b, i < M] = x[i, ..b]\n"));
  // The results have it at different places.
  EXPECT_FALSE(
      opaque("class b\nsize M\ninput x : f32[..b, M]\nleft Y : f32[..b, i < M] = x[..b, i]\n"
             "right Y : f32[i < M, ..b] = x[..b, i]\n"));
  // An intermediate tensor is read at another place.
  EXPECT_FALSE(
      opaque("class b\nsize M\ninput x : f32[..b, M]\nleft T : f32[..b, i < M] = x[..b, i]\n"
             "left Y : f32[..b, i < M] = T[i, ..b]\nright Y : f32[..b, i < M] = x[..b, i]\n"));
}

TEST(Classes, BoundsCountConditionsAndReads) {
  const RuleFamily family =
      parse_rules(
          rule("  class c\n  size N.c, l.c\n  input x : f32[N.c]\n  input v : f32[]\n"
               "  left Y : f32[i.c < N.c + l.c] = if all.c(l.c <= i.c) then x[i.c - l.c] else v[]\n"
               "  right Y : f32[i.c < N.c + l.c] = if all.c(l.c <= i.c) then x[i.c - l.c] else v[]\n"),
          "f")
          .at(0);
  // One condition and one read, the same on both sides, and one axis for a read out of bounds.
  EXPECT_EQ(family.proved_ranks.at(0), 2);
  EXPECT_NE(family.arguments.at(0).find("any rank"), std::string::npos);
  // Conditions are counted with definitions put in, each read by itself, and as they are before rank 1 makes
  // one of them true.
  const auto bound = [](const std::string& body) {
    return parse_rules(rule("  class c\n  size N.c\n  input x : f32[N.c]\n" + body), "f")
        .at(0)
        .proved_ranks.at(0);
  };
  const std::string same = "  right Y : f32[i.c < N.c] = x[i.c]\n";
  EXPECT_EQ(
      bound("  left Y : f32[i.c < N.c] = if all.c(i.c <= 0) or all.c(1 <= i.c) then x[i.c] else 0\n" + same),
      3);
  EXPECT_EQ(bound("  left A : bool[i.c < N.c + 2] = not all.c(not (i.c = 2))\n"
                  "  left Y : f32[i.c < N.c] = if A[i.c] and A[i.c + 1] and A[i.c + 2] then 0 else x[i.c]\n" +
                  same),
            4);
  // A read for each axis, along another class.
  const auto any_rank = [](const std::string& index) {
    return parse_rules(rule("  class c, d\n  size N.c, M.d, K.c, L.d\n  input x : f32[K.c]\n"
                            "  input I : i32[L.d]\n  left Y : f32[i.c < N.c, j.d < M.d] = x[" +
                            index + "]\n  right Y : f32[i.c < N.c, j.d < M.d] = x[" + index + " + 0]\n"),
                       "f")
               .at(0)
               .arguments.at(0)
               .find("any rank") != std::string::npos;
  };
  EXPECT_TRUE(any_rank("index(I[j.d]) + i.c"));
  EXPECT_FALSE(any_rank("index(I[j.d + i.c]) + i.c"));
  const RuleFamily sums = parse_rules(rule("  class c\n  size N.c\n  input x : f32[N.c]\n"
                                           "  left Y : f32[] = sum.c(i.c < N.c) x[i.c]\n"
                                           "  right Y : f32[] = sum.c(i.c < N.c) x[i.c]\n"),
                                      "f")
                              .at(0);
  EXPECT_NE(sums.arguments.at(0).find("only"), std::string::npos);
}

TEST(Notation, NumbersHaveTheSortOfTheElementTheyAreComparedWith) {
  const auto families = parse_rules(
      "hallmark 1\nrule a\n  source \"s\"\n  size N\n  input a : i8[N]\n  given [i < N] : a[i] >= 0\n"
      "  left Y : bool[i < N] = a[i] < 0\n  right Y : bool[i < N] = a[i] < 0@i8\n",
      "t.hm");
  const Rule& rule = families.at(0).instances.at(0);
  EXPECT_EQ(left_term(rule), right_term(rule));
  EXPECT_THROW(parse_rules("hallmark 1\nrule a\n  source \"s\"\n  size N\n  input a : i8[N]\n"
                           "  left Y : bool[i < N] = a[i] < 0@real\n  right Y : bool[i < N] = a[i] < 0\n",
                           "t.hm"),
               UserError);
}

TEST(Notation, ArgmaxIsTheFoldThatKeepsTheFirst) {
  const auto families = parse_rules(
      "hallmark 1\nrule a\n  source \"s\"\n  size N\n  input x : f32[N]\n"
      "  left Y : i64[] = argmax(k < N) x[k]\n"
      "  right Y : i64[] = fold(k < N; m = empty_max -> if m < x[k] then x[k] else m, j = 0 -> if m < x[k] "
      "then "
      "i64(k) else j; j)\n",
      "t.hm");
  const Rule& rule = families.at(0).instances.at(0);
  EXPECT_EQ(left_term(rule), right_term(rule));
}

TEST(Errors, SayWhere) {
  try {
    parse_rules(
        rule("  size N\n  input x : f32[N]\n  left Y : f32[i < N] = y[i]\n  right Y : f32[i < N] = x[i]\n"),
        "f.hm");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), "E1102");
    EXPECT_EQ(error.where().line, 5u);
    EXPECT_EQ(error.where().column, 25u);
  }
  EXPECT_EQ(code_of("rule r\n"), "E1105");
  EXPECT_EQ(code_of("hallmark 1\nrule r\n  size N\n"), "E1101");
  // A rule for every operation is not one about the exponential.
  EXPECT_EQ(code_of(rule("  size N\n  operator exp(real) : real\n  input x : f32[N]\n"
                         "  left Y : f32[i < N] = exp(x[i]) * exp(-x[i])\n  right Y : f32[i < N] = 1\n")),
            "E1102");
}

// Classes are put in as text before a rule is read; whoever wrote it has not seen that text.
TEST(Errors, OfRulesWithClassesShowTheLineAsWritten) {
  const std::string line = "  left  Y : f32[i.c < N.c] = exp(x[i.c]) + y[i.c]";
  try {
    parse_rules(rule("  class c\n  size N.c\n  input x : f32[N.c]\n" + line +
                     "\n  right Y : f32[i.c < N.c] = x[i.c]\n"),
                "f.hm");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), "E1102");
    EXPECT_EQ(error.where().line, 6u);
    EXPECT_EQ(error.source_line(), line);
    EXPECT_EQ(error.where().column, line.find("y[") + 1);
  }
}

TEST(Hostile, TextsEndInAnErrorSoon) {
  const std::string head = "  size N\n  input x : f32[N]\n", right = "\n  right Y : f32[i < N] = x[i]\n";
  EXPECT_EQ(code_of(rule(head + "  left Y : f32[i < N] = " + std::string(100000, '(') + "x[i]" +
                         std::string(100000, ')') + right)),
            "E1104");
  EXPECT_NE(code_of(rule(head + "  left Y : f32[i < " + std::string(200000, '9') + "] = x[i]" + right)),
            "none");
  EXPECT_NE(code_of(rule(head + "  left Y : f32[i < (N + 1)^4096] = x[i]" + right)), "none");
  // A definition that uses itself.
  EXPECT_EQ(code_of(rule(head + "  left Y : f32[i < N] = Y[i]" + right)), "E1102");
  // More classes than anybody needs.
  EXPECT_EQ(code_of(rule("  class a, b, c, d, e\n  left Y : f32[] = 0\n  right Y : f32[] = 0\n")), "E2110");
  EXPECT_NE(code_of(std::string(1000, '\0')), "none");
  // More sizes, axes, inputs and definitions than anybody needs.
  std::string sizes, axes = "  input z : f32[1", inputs, chain = "  left  T0 : f32[i < N] = x[i]\n";
  for (int k = 0; k < 20000; ++k) sizes += "  size N" + std::to_string(k) + "\n";
  for (int k = 0; k < 2000; ++k) axes += ", 1";
  for (int k = 0; k < 2000; ++k) inputs += "  input z" + std::to_string(k) + " : f32[N]\n";
  for (int k = 1; k < 2000; ++k)
    chain += "  left  T" + std::to_string(k) + " : f32[i < N] = T" + std::to_string(k - 1) + "[i] * T" +
             std::to_string(k - 1) + "[i]\n";
  const std::string left = "  left  Y : f32[i < N] = x[i]";
  EXPECT_NE(code_of(rule(sizes + head + left + right)), "none");
  EXPECT_NE(code_of(rule(head + axes + "]\n" + left + right)), "none");
  EXPECT_NE(code_of(rule(head + inputs + left + right)), "none");
  EXPECT_NE(code_of(rule(head + chain + left + right)), "none");
}

// Each definition reads the one before twice: forty of them are a term of 2^40 operations.
TEST(Hostile, WhatDoublesWithEachDefinitionIsRefused) {
  const auto chain = [](const char* step, int length) {
    std::string out = "  size N\n  input x : f32[N]\n";
    for (const char* side : {"left", "right"}) {
      out += "  " + std::string(side) + "  T0 : f32[i < N] = x[i]\n";
      for (int k = 1; k < length; ++k)
        out += "  " + std::string(side) + fmt::format("  T{} : f32[i < N] = ", k) +
               fmt::format(fmt::runtime(step), fmt::arg("T", fmt::format("T{}", k - 1))) + "\n";
    }
    return out;
  };
  for (const char* step : {"{T}[i] * {T}[i] + 1", "max({T}[i], {T}[N - 1 - i])",
                           "if i < 3 then {T}[i] + 1 else {T}[i] * 2", "sum(k < N) {T}[k] * {T}[i]"})
    EXPECT_EQ(code_of(rule(chain(step, 40))), "E1104") << step;
  EXPECT_EQ(code_of(rule(chain("{T}[i] * {T}[i] + 1", 6))), "none");
}

// Squared sixty times, 2 has more digits than there are bytes; nothing is claimed of what cannot be computed.
TEST(Hostile, ANumberOfAnyLengthIsNotComputed) {
  smt::Portfolio portfolio;
  const auto families = parse_rules(rule("  size N\n  input x : f32[N]\n"
                                         "  left  Y : f32[i < N] = fold(k < 60; s = 2 -> s * s) + x[i]\n"
                                         "  right Y : f32[i < N] = x[i]\n"),
                                    "hostile.hm");
  EXPECT_NE(prove_family(families.front(), portfolio).outcome.state, State::proved);
}

TEST(Notation, ASizeHasBothBounds) {
  const auto families =
      parse_rules(rule("  size d >= -3 <= 3, N >= 1 <= 4\n  input x : f32[N]\n  left  Y : f32[i < N] = x[i]\n"
                       "  right Y : f32[i < N] = x[N - 1 - i]\n"),
                  "test");
  const Rule& one = families.front().instances.back();
  EXPECT_EQ(one.symbols.at(0).low, -3);
  EXPECT_EQ(one.symbols.at(0).high, 3);
  EXPECT_EQ(one.symbols.at(1).low, 1);
  EXPECT_EQ(one.symbols.at(1).high, 4);
}

}  // namespace
}  // namespace hallmark::rules
