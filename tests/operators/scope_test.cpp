// What import knows of shapes: symbolic extents, folding, formulas in place of loads, refusals of what is
// open.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "evaluator/evaluator.h"
#include "operators/operator.h"

namespace hallmark::operators {
namespace {

using namespace calculus;

const SymbolRanges two_symbols{{"N", {"N", 1, std::nullopt}}, {"S", {"S", 1, Integer(1024)}}};

TEST(Bounds, OfPolynomialsDivisionsAndExtrema) {
  const Term n = symbol("N"), s = symbol("S");
  const Bounds b = bounds(subtract(scale(2, s), integer(3)), two_symbols);
  EXPECT_EQ(b.low, Integer(-1));
  EXPECT_EQ(b.high, Integer(2045));
  EXPECT_FALSE(bounds(n, two_symbols).high);
  EXPECT_EQ(bounds(multiply(n, s), two_symbols).low, Integer(1));
  EXPECT_EQ(bounds(floor_div(s, integer(3)), two_symbols).high, Integer(341));
  EXPECT_EQ(bounds(index_min(n, integer(7)), two_symbols).high, Integer(7));
  EXPECT_EQ(bounds(index_max(n, integer(7)), two_symbols).low, Integer(7));
  EXPECT_FALSE(bounds(index_max(n, integer(7)), two_symbols).high);
}

TEST(Decisions, AreUnknownWhereTheSymbolsLeaveThemOpen) {
  const Term n = symbol("N"), s = symbol("S");
  EXPECT_EQ(is_equal(n, n, two_symbols), Decision::yes);
  EXPECT_EQ(is_equal(n, s, two_symbols), Decision::unknown);
  EXPECT_EQ(is_equal(s, integer(2000), two_symbols), Decision::no);
  EXPECT_EQ(is_equal(add(n, integer(1)), n, two_symbols), Decision::no);
  EXPECT_EQ(is_at_most(s, integer(1024), two_symbols), Decision::yes);
  EXPECT_EQ(is_at_most(n, integer(5), two_symbols), Decision::unknown);
}

TEST(Simplify, DecidesConditionsInsideTheAxes) {
  const Extents extents{integer(4), symbol("S")};
  EXPECT_EQ(simplify(less(axis(0), integer(4)), two_symbols, extents), truth(true));
  EXPECT_EQ(simplify(floor_div(axis(0), integer(5)), two_symbols, extents), integer(0));
  EXPECT_EQ(simplify(less(axis(1), integer(1024)), two_symbols, extents), truth(true));
  const Term open = less(axis(1), integer(7));
  EXPECT_EQ(simplify(open, two_symbols, extents), open);
  // Comparing positions as integers is comparing them as indices, unless they could wrap.
  const auto position = [](Term index, Format format) { return from_index(index, Sort::integer(format)); };
  EXPECT_EQ(simplify(compare(Op::le, position(axis(0), Format::i64), position(axis(1), Format::i64)),
                     two_symbols, extents),
            at_most(axis(0), axis(1)));
  const Term narrow = compare(Op::le, position(axis(0), Format::i8), position(axis(1), Format::i8));
  EXPECT_EQ(simplify(narrow, two_symbols, extents), narrow);
}

TEST(Reshaped, RelatesAxesInTheSmallestGroups) {
  const Term b = symbol("N"), s = symbol("S");
  const Extents flat{b, s, integer(768)}, heads{b, s, integer(12), integer(64)};
  EXPECT_EQ(reshaped(flat, heads, axes(4)), (Indices{axis(0), axis(1), add(scale(64, axis(2)), axis(3))}));
  EXPECT_EQ(reshaped(heads, flat, axes(3)),
            (Indices{axis(0), axis(1), floor_div(axis(2), integer(64)), mod(axis(2), integer(64))}));
  const Extents merged{multiply(b, s), integer(768)};
  EXPECT_EQ(reshaped(flat, merged, axes(2)), (Indices{floor_div(axis(0), s), mod(axis(0), s), axis(1)}));
}

class Graph {
 public:
  Graph() : scope_({two_symbols.at("N"), two_symbols.at("S")}) {
    scope_.add_input({"x", Format::f32, {symbol("N"), symbol("S"), integer(6)}});
  }
  void node(const std::string& op_type, const std::vector<std::string>& inputs, const std::string& output,
            const std::map<std::string, Attribute>& attributes = {}) {
    Node node{"", op_type, "", inputs, {output}, attributes};
    build(scope_, node, 17);
  }
  void numbers(const std::string& name, const std::vector<std::int64_t>& values) {
    node("Constant", {}, name, {{"value_ints", values}});
  }
  const Known& of(const std::string& name) { return *scope_.find(name); }
  Scope& scope() { return scope_; }

 private:
  Scope scope_;
};

TEST(Shapes, AreKnownThroughTheArithmeticThatModelsDoOnThem) {
  Graph g;
  g.node("Shape", {"x"}, "shape");
  g.numbers("first", {0});
  g.numbers("second", {1});
  g.node("Gather", {"shape", "first"}, "n");
  g.node("Gather", {"shape", "second"}, "s");
  g.node("Mul", {"n", "s"}, "rows");
  g.numbers("rest", {-1});
  g.node("Concat", {"rows", "rest"}, "target", {{"axis", std::int64_t{0}}});
  g.node("Reshape", {"x", "target"}, "y");
  EXPECT_EQ(g.of("y").declaration.extents, (Extents{multiply(symbol("N"), symbol("S")), integer(6)}));
  const Program program = g.scope().finish({"y"});
  check_program(program);
  EXPECT_EQ(program.definitions.size(), 1U);  // the arithmetic is gone
  EXPECT_TRUE(program.preconditions.empty());
}

TEST(Shapes, ConcreteOnesFoldToConstants) {
  Graph g;
  g.numbers("a", {4, 6});
  g.numbers("b", {3, -2});
  g.node("Add", {"a", "b"}, "c");
  ASSERT_NE(g.of("c").data, nullptr);
  EXPECT_EQ(g.of("c").data->bytes[0], std::byte{7});
}

TEST(Shapes, FloatsAreNeverFolded) {
  Graph g;
  g.node("Constant", {}, "a", {{"value_floats", std::vector<float>{0.1F, 0.2F}}});
  g.node("Add", {"a", "a"}, "b");
  EXPECT_EQ(g.of("b").data, nullptr);
  const auto exact = g.scope().contents_at_import("b");
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->at(0), 2 * exact_rational(static_cast<double>(0.1F)));
}

TEST(Shapes, PositionsBecomeFormulasInsteadOfTables) {
  Graph g;
  g.numbers("column", {1});
  g.node("Constant", {}, "zero", {{"value_int", std::int64_t{0}}});
  g.node("Constant", {}, "eight", {{"value_int", std::int64_t{8}}});
  g.node("Constant", {}, "one", {{"value_int", std::int64_t{1}}});
  g.node("Range", {"zero", "eight", "one"}, "positions");
  g.node("Unsqueeze", {"positions", "column"}, "rows");
  g.node("LessOrEqual", {"positions", "rows"}, "visible");
  EXPECT_EQ(g.of("visible").formula, at_most(axis(1), axis(0)));
}

TEST(Shapes, AnExtentThatIsOpenIsRefusedOrBecomesAPrecondition) {
  Graph g;
  g.scope().add_input({"z", Format::f32, {integer(1), symbol("S"), integer(6)}});
  g.scope().add_input({"w", Format::f32, {integer(5), integer(6)}});
  g.scope().add_input({"m", Format::f32, {symbol("S"), integer(5)}});
  g.node("Add", {"x", "z"}, "sum");
  // S may be 1 or 5: which of them the result would have is open.
  EXPECT_THROW(g.node("Add", {"x", "w"}, "open"), Refusal);
  EXPECT_THROW(g.node("Reshape", {"x", "x"}, "no"), UserError);
  g.scope().add_input({"v", Format::f32, {symbol("N"), integer(6)}});
  g.node("MatMul", {"v", "m"}, "product");
  EXPECT_EQ(g.scope().finish({"product"}).preconditions, std::vector<Term>{equal(symbol("S"), integer(6))});
}

TEST(Shapes, ASplatStaysASplat) {
  Graph g;
  g.numbers("shape", {1 << 20, 1 << 20});
  g.node("ConstantOfShape", {"shape"}, "big");
  ASSERT_NE(g.of("big").data, nullptr);
  EXPECT_TRUE(g.of("big").data->splat);
  EXPECT_EQ(g.of("big").data->bytes.size(), 4U);
}

TEST(Operators, AreRefusedByNameWhenUnknown) {
  Graph g;
  try {
    g.node("NonMaxSuppression", {"x", "x"}, "y");
    FAIL() << "accepted";
  } catch (const Refusal& e) {
    EXPECT_EQ(e.code(), "E6300");
    EXPECT_EQ(e.where().node, "y (NonMaxSuppression)");
  }
}

TEST(Operators, VersionsOfOneOperatorDoNotOverlap) {
  const std::vector<Operator>& all = all_operators();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_LE(all[i].since, all[i].until) << all[i].name;
    for (std::size_t j = i + 1; j < all.size(); ++j)
      EXPECT_TRUE(all[i].name != all[j].name || all[i].domain != all[j].domain ||
                  all[i].until < all[j].since || all[j].until < all[i].since)
          << all[i].name;
  }
}

TEST(Operators, ConstantsWithoutARealMeaningAreRefused) {
  Graph g;
  g.node("Constant", {}, "a", {{"value_float", -std::numeric_limits<float>::infinity()}});
  EXPECT_THROW(g.node("Mul", {"x", "a"}, "y"), Refusal);
  // As a bound that never holds it does nothing.
  g.node("Clip", {"x", "a"}, "z");
}

// A mask of -infinity is a guard of the reductions that it goes into, and is refused everywhere else.
TEST(Masks, OfMinusInfinityBecomeGuards) {
  Graph g;
  g.scope().add_input({"scores", Format::f32, {integer(2), integer(3)}});
  g.scope().add_input({"visible", Format::boolean, {integer(2), integer(3)}});
  g.node("Constant", {}, "hidden", {{"value_float", -std::numeric_limits<float>::infinity()}});
  g.node("Where", {"visible", "scores", "hidden"}, "masked");
  g.node("Softmax", {"masked"}, "weights");
  EXPECT_THROW(g.node("Exp", {"masked"}, "no"), Refusal);
  EXPECT_THROW(g.node("Sub", {"scores", "masked"}, "no"), Refusal);
  EXPECT_THROW(g.scope().finish({"masked"}), Refusal);

  auto mask = std::make_shared<TensorData>();
  mask->format = Format::f32;
  mask->extents = {2, 3};
  const float low = -std::numeric_limits<float>::infinity();
  const float values[] = {0, low, 0.5F, low, low, 0};
  mask->bytes.resize(sizeof values);
  std::memcpy(mask->bytes.data(), values, sizeof values);
  g.scope().add_constant("bias", mask);
  g.node("Add", {"scores", "bias"}, "biased");
  g.node("Softmax", {"biased"}, "biased_weights");

  const Program program = g.scope().finish({"weights", "biased_weights"});
  check_program(program);
  auto visible = std::make_shared<TensorData>();
  visible->format = Format::boolean;
  visible->extents = {2, 3};
  for (const int bit : {1, 0, 1, 0, 0, 0}) visible->bytes.push_back(static_cast<std::byte>(bit));
  const std::map<std::string, evaluator::Tensor> inputs{
      {"x", evaluator::Tensor(Format::f32, {1, 1, 6}, std::vector<double>(6, 0))},
      {"scores", evaluator::Tensor(Format::f32, {2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6})},
      {"visible", evaluator::Tensor(visible)}};
  const auto result = evaluator::evaluate(program, {{"N", 1}, {"S", 1}}, inputs);
  const double e2 = std::exp(2.0), e25 = std::exp(2.5);
  const auto at = [&](const char* name, std::int64_t i) { return result.at(name).number(i); };
  EXPECT_NEAR(at("weights", 0), 1 / (1 + e2), 1e-12);
  EXPECT_EQ(at("weights", 1), 0);
  EXPECT_NEAR(at("weights", 2), e2 / (1 + e2), 1e-12);
  EXPECT_TRUE(std::isnan(at("weights", 4)));  // nothing is visible in the second row
  EXPECT_NEAR(at("biased_weights", 0), 1 / (1 + e25), 1e-12);
  EXPECT_EQ(at("biased_weights", 1), 0);
  EXPECT_EQ(at("biased_weights", 5), 1);
}

}  // namespace
}  // namespace hallmark::operators
