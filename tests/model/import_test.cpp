#include "model/import.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "evaluator/evaluator.h"

namespace hallmark::model {
namespace {

using namespace calculus;

std::string corpus(const std::string& name) {
  return std::string(HALLMARK_SOURCE_DIR) + "/corpus/models/" + name;
}

TEST(Import, ReluIsOneDefinitionOverASymbol) {
  const Model model = import_model(corpus("relu.onnxtxt"));
  ASSERT_EQ(model.program.definitions.size(), 1U);
  const Definition& y = model.program.definitions[0];
  EXPECT_EQ(y.declaration.extents, std::vector<Term>{symbol("N")});
  EXPECT_EQ(y.body, apply(Op::max, {load("x", {axis(0)}, Sort::real()), real_constant(0)}));
  EXPECT_EQ(y.origin, "y (Relu)");
  EXPECT_EQ(model.opset, 17);
  ASSERT_EQ(model.program.symbols.size(), 1U);
  EXPECT_EQ(model.program.symbols[0].low, 1);
  EXPECT_EQ(model.digest.size(), 64U);
}

TEST(Import, MatMulIsOneSum) {
  const Model model = import_model(corpus("matmul.onnxtxt"));
  const Term k = fresh_variable("k");
  const Term expected =
      sum(k, symbol("K"),
          apply(Op::mul, {load("a", {axis(0), k}, Sort::real()), load("b", {k, axis(1)}, Sort::real())}));
  EXPECT_EQ(model.program.definitions.at(0).body, expected);
}

TEST(Import, AGivenDimensionBecomesANumber) {
  Options options;
  options.dimensions["N"] = {"N", 8, Integer(8)};
  const Model model = import_model(corpus("add.onnxtxt"), options);
  EXPECT_EQ(model.program.definitions.at(0).declaration.extents,
            (std::vector<Term>{symbol("M"), integer(8)}));
  EXPECT_EQ(model.program.symbols.size(), 1U);
}

}  // namespace
}  // namespace hallmark::model
