#include "model/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

Model of_text(const std::string& body, const Options& options = {}, int opset = 17) {
  return import_bytes("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]> " + body, true,
                      options);
}

TEST(Import, DeadNodesAndUnusedConstantsAreDropped) {
  const Model model = of_text(R"(g (float[2] x) => (float[2] y) {
    unused = Constant <value_float = 3.0> ()
    dead = Mul(x, unused)
    y = Relu(x)
  })");
  EXPECT_EQ(model.program.definitions.size(), 1U);
  EXPECT_TRUE(model.program.constants.empty());
}

TEST(Import, AnUnwantedOutputNeedsNoMeaning) {
  // The mask of Dropout has none before opset 10.
  EXPECT_NO_THROW(of_text("g (float[2] x) => (float[2] y) { y, mask = Dropout(x) }", {}, 9));
  EXPECT_THROW(of_text("g (float[2] x) => (float[2] mask) { y, mask = Dropout(x) }", {}, 9), Refusal);
}

TEST(Import, InputExtentsBindSymbolsOnce) {
  const std::string graph = "g (float[N, 3] a, float[N, 3] b) => (float[N, 3] y) { y = Add(a, b) }";
  Options options;
  options.input_extents = {{"a", {4, 3}}};
  EXPECT_TRUE(of_text(graph, options).program.symbols.empty());
  options.input_extents["b"] = {5, 3};
  EXPECT_THROW(of_text(graph, options), UserError);
  options.input_extents = {{"a", {4, 2}}};
  EXPECT_THROW(of_text(graph, options), UserError);
  options.input_extents = {{"a", {4}}};
  EXPECT_THROW(of_text(graph, options), UserError);
}

TEST(Import, FixedInputsAreConstantsAndAssumptions) {
  const std::string graph = "g (float[2, 3] x, int64[1] shape) => (float[n] y) { y = Reshape(x, shape) }";
  EXPECT_THROW(of_text(graph), Refusal);
  auto shape = std::make_shared<TensorData>();
  shape->format = Format::i64;
  shape->extents = {1};
  shape->bytes.assign(8, std::byte{0});
  shape->bytes[0] = std::byte{6};
  Options options;
  options.input_values["shape"] = shape;
  const Model model = of_text(graph, options);
  EXPECT_EQ(model.program.inputs.size(), 1U);
  EXPECT_EQ(model.program.definitions.at(0).declaration.extents, std::vector<Term>{integer(6)});
  EXPECT_EQ(model.assumptions.back(), "input-fixed:shape");
  auto wrong = std::make_shared<TensorData>(*shape);
  wrong->format = Format::u64;
  options.input_values["shape"] = wrong;
  EXPECT_THROW(of_text(graph, options), UserError);
}

TEST(Import, OperatorsThatAreFunctionsAreWrittenOut) {
  const Model model =
      of_text("g (int64[1] x) => (float[n] y) { n = Constant <value_int = 8> () y = HannWindow(n) }");
  EXPECT_NE(std::find(model.assumptions.begin(), model.assumptions.end(), "onnx-function-body:HannWindow"),
            model.assumptions.end());
  const auto window =
      evaluator::evaluate(model.program, {}, {{"x", evaluator::Tensor([] {
                                                 auto data = std::make_shared<TensorData>();
                                                 data->format = Format::i64;
                                                 data->extents = {1};
                                                 data->bytes.assign(8, std::byte{0});
                                                 return std::shared_ptr<const TensorData>(data);
                                               }())}});
  for (int i = 0; i < 8; ++i)
    EXPECT_NEAR(window.at("y").number(i), 0.5 - 0.5 * std::cos(2 * 3.14159265358979 * i / 8), 1e-6);
}

TEST(Import, ElementTypesAreThoseOfTheSchema) {
  try {
    of_text("g (int32[2] x) => (int32[2] y) { y = Exp(x) }");
    FAIL() << "accepted";
  } catch (const UserError& e) {
    EXPECT_EQ(e.code(), "E6008");
    EXPECT_EQ(e.where().node, "y (Exp)");
  }
  EXPECT_THROW(of_text("g (float[2] x, double[2] z) => (float[2] y) { y = Add(x, z) }"), UserError);
}

TEST(Import, TheCausalMaskOfTheGpt2BlockIsACondition) {
  const Model model = import_model(corpus("gpt2_block.onnxtxt"));
  EXPECT_TRUE(model.program.constants.empty());
  EXPECT_TRUE(model.program.symbols.empty());
  const Definition* masked = find_definition(model.program, "masked_scores");
  ASSERT_NE(masked, nullptr);
  const std::vector<Term> at{integer(0), axis(1), axis(2), axis(3)};
  EXPECT_EQ(masked->body,
            select(at_most(axis(3), axis(2)), load("scores", at, Sort::real()), real_constant(-10000)));
}

TEST(Import, TheSameFileGivesTheSameProgram) {
  for (const char* name : {"gpt2_block.onnxtxt", "softmax.onnxtxt"}) {
    const Model a = import_model(corpus(name)), b = import_model(corpus(name));
    ASSERT_EQ(a.program.definitions.size(), b.program.definitions.size());
    for (std::size_t i = 0; i < a.program.definitions.size(); ++i) {
      EXPECT_EQ(a.program.definitions[i].body, b.program.definitions[i].body);
      EXPECT_EQ(a.program.definitions[i].declaration.name, b.program.definitions[i].declaration.name);
    }
    EXPECT_EQ(a.digest, b.digest);
  }
}

}  // namespace
}  // namespace hallmark::model
