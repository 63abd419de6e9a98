#include <gtest/gtest.h>

#include "base/error.h"
#include "calculus/text/text.h"
#include "tests/text/random_term.h"

namespace hallmark::calculus::text {
namespace {

Program around(const RandomTerms& random, Term body, Format format) {
  Program program;
  const Term extent = symbol("N");
  program.symbols = {{"N", 1, {}}, {"M", 1, Integer(7)}};
  for (const auto& [name, type] : random.tensors)
    program.inputs.push_back({name, type.format, std::vector<Term>(type.rank, extent)});
  program.definitions = {
      {{"Y", format, {extent, add(extent, integer(1L))}}, {"i", "j"}, body, "node \"1\"\n"}};
  program.outputs = {"Y"};
  return program;
}

TEST(RoundTrip, RandomElements) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomTerms random(seed, {});
    const Sort sort = random.any_sort();
    const Term term = random.element(sort, 1 + static_cast<int>(seed % 5));
    const Format format = sort == Sort::boolean()         ? Format::boolean
                          : sort.kind == Sort::Kind::real ? Format::f32
                                                          : sort.format;
    const std::string written = print_program(around(random, term, format));
    Program read;
    try {
      read = parse_program(written, "written");
    } catch (const Error& error) {
      FAIL() << seed << " " << error.render() << "\n" << written;
    }
    ASSERT_EQ(read.definitions.at(0).body, term) << seed << "\n" << written;
    ASSERT_EQ(read.definitions.at(0).origin, "node \"1\"\n");
    ASSERT_EQ(print_program(read), written);
  }
}

TEST(RoundTrip, RandomIndicesAndConditions) {
  const std::vector<std::string> axes{"i", "j"};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    RandomTerms random(seed, {});
    const Scope scope = random.scope(random.any_sort(), seed % 2 == 0);
    const int depth = 1 + static_cast<int>(seed % 5);
    for (const Term term : {random.index(depth), random.boolean(depth)}) {
      const std::string written = print_term(term, scope, axes);
      try {
        ASSERT_EQ(parse_term(written, "written", scope, axes), term) << seed << "\n" << written;
      } catch (const Error& error) {
        FAIL() << seed << " " << error.render();
      }
    }
  }
}

// x + x, doubled sixty times: as long as the DAG, not as the tree.
TEST(RoundTrip, SharedTermsAreWrittenOnce) {
  Term term = load("X", {axis(0)}, Sort::real());
  for (int i = 0; i < 60; ++i) term = apply(Op::mul, {apply(Op::add, {term, real_constant(i)}), term});
  const Scope scope = RandomTerms(0, {}).scope(Sort::real(), false);
  const std::string written = print_term(term, scope, {"i", "j"});
  EXPECT_LT(written.size(), 6000U);
  EXPECT_EQ(parse_term(written, "written", scope, {"i", "j"}), term);
}

// Nested 2000 deep, without sharing: lets keep the text within the parser's limit.
TEST(RoundTrip, DeepTermsAreCutByLets) {
  Term term = load("X", {axis(0)}, Sort::real());
  for (int i = 0; i < 2000; ++i) term = apply(Op::exp, {apply(Op::sub, {real_constant(i), term})});
  const Scope scope = RandomTerms(0, {}).scope(Sort::real(), false);
  EXPECT_EQ(parse_term(print_term(term, scope, {"i", "j"}), "written", scope, {"i", "j"}), term);
}

TEST(RoundTrip, NamesThatNeedCare) {
  Program program;
  program.symbols = {{"i", 1, {}}, {"if", 1, {}}, {"batch size", 1, {}}};
  const Sort f32 = Sort::floating(Format::f32);
  const Term x = variable("x!7", f32), y = variable("x!9", f32);
  program.functions = {{"exp", {x, y}, apply(Op::mul, {x, apply(Op::sub, {y, x})})}};
  program.inputs = {{"onnx::Conv_1/w:0", Format::f32, {symbol("batch size")}},
                    {"sum", Format::f32, {symbol("i")}}};
  const Term a = load("onnx::Conv_1/w:0", {axis(0)}, f32), b = load("sum", {symbol("if")}, f32);
  program.definitions = {
      {{"exact", Format::f32, {symbol("batch size")}}, {"i"}, custom_operation("exp", {a, b}, f32), ""}};
  program.outputs = {"exact"};
  const std::string written = print_program(program);
  const Program read = parse_program(written, "written");
  EXPECT_EQ(read.definitions[0].body, program.definitions[0].body) << written;
  EXPECT_EQ(read.functions[0].name, "exp");
  // The parameters have other names; the function is the same.
  EXPECT_EQ(expand_functions(read.definitions[0].body, read.functions),
            expand_functions(program.definitions[0].body, program.functions));
  EXPECT_EQ(print_program(read), written);
}

}  // namespace
}  // namespace hallmark::calculus::text
