#include <gtest/gtest.h>

#include "calculus/text/text.h"
#include "operators/extents.h"
#include "rules/rule_text.h"
#include "search/explain.h"
#include "select/cost.h"

namespace hallmark::search {
namespace {

using namespace calculus;

Term n(long value) {
  return integer(Integer(value));
}
Declaration tensor(const std::string& name, std::vector<Term> extents) {
  return {name, Format::f32, std::move(extents)};
}

Definition matmul(const std::string& name, const std::string& a, const std::string& b, Term rows, Term inner,
                  Term columns) {
  const Term k = fresh_variable("k");
  Definition d;
  d.declaration = tensor(name, {rows, columns});
  d.axis_names = {"i", "j"};
  d.body = sum(k, inner,
               apply(Op::mul, {load(a, {axis(0), k}, Sort::real()), load(b, {k, axis(1)}, Sort::real())}));
  return d;
}

rules::Rule associativity(bool reversed) {
  rules::Rule rule;
  rule.name = "matmul-associativity";
  for (const char* s : {"M", "K", "L", "N"}) rule.symbols.push_back({s, 0, {}});
  const Term M = symbol("M"), K = symbol("K"), L = symbol("L"), N = symbol("N");
  rule.tensors = {tensor("A", {M, K}), tensor("B", {K, L}), tensor("C", {L, N})};
  rule.left = {matmul("T", "A", "B", M, K, L), matmul("Y", "T", "C", M, L, N)};
  rule.right = {matmul("T", "B", "C", K, L, N), matmul("Y", "A", "T", M, K, N)};
  if (reversed) std::swap(rule.left, rule.right);
  return rule;
}

// As the importer writes it: the index of an axis of extent 1 is 0.
Definition imported(Definition d) {
  d.body = operators::simplify(d.body, {}, d.declaration.extents);
  return d;
}

Program chain() {
  Program p;
  p.inputs = {tensor("A", {n(8), n(512)}), tensor("B", {n(512), n(512)}), tensor("v", {n(512), n(1)})};
  p.definitions = {imported(matmul("T", "A", "B", n(8), n(512), n(512))),
                   imported(matmul("Y", "T", "v", n(8), n(512), n(1)))};
  p.outputs = {"Y"};
  return p;
}

Rational operations(const ENode& node, const EGraph& graph) {
  if (node.payload == nullptr) return 0;
  static const select::Pricing pricing{select::load_target("h100-sxm5", HALLMARK_SOURCE_DIR "/corpus"), {}};
  std::map<std::string, Declaration> tensors;
  for (std::size_t i = 0; i < node.children.size(); ++i)
    tensors["$" + std::to_string(i)] = {"$" + std::to_string(i), graph.shape(node.children[i]).format,
                                        graph.shape(node.children[i]).extents};
  return select::work_of(node.payload, {"y", node.shape.format, node.shape.extents}, tensors, {}, pricing)
      .operations;
}

TEST(Payload, NumbersDependOnTheBodyAlone) {
  std::vector<std::string> a, b;
  const Term x = to_payload(matmul("Y", "A", "B", n(2), n(3), n(4)).body, a);
  const Term y = to_payload(matmul("Y", "Q", "P", n(2), n(3), n(4)).body, b);
  EXPECT_EQ(x, y);
  EXPECT_EQ(a.size(), 2u);
  EXPECT_EQ(from_payload(x, a), matmul("Y", "A", "B", n(2), n(3), n(4)).body);
}

TEST(Search, MatmulChainIsReassociatedAndTheReasonReplays) {
  const Program program = chain();
  const std::vector<rules::Rule> rules{associativity(false), associativity(true)};
  const Search search = grow(program, rules, {});
  EXPECT_EQ(search.stop, StopReason::saturated);
  ASSERT_FALSE(search.applications.empty());
  const Extraction best = extract(search, program.outputs, operations);
  EXPECT_LT(best.cost, best.authored_cost);
  const Program elected = to_program(search, best.choice, program);
  ASSERT_EQ(elected.definitions.size(), 2u);
  EXPECT_EQ(elected.definitions[0].declaration.extents, (std::vector<Term>{n(512), n(1)}));
  const Explanation why = explain(search, best.choice, rules, program);
  EXPECT_EQ(why.steps.size(), 1u);
  EXPECT_EQ(check_explanation(program, elected, why.steps), "");
  // Without the step, or with a step about other tensors, nothing connects the two programs.
  EXPECT_NE(check_explanation(program, elected, {}), "");
  std::vector<Step> wrong = why.steps;
  wrong[0].left[0].body = substitute(wrong[0].left[0].body, {{axis(0), add(axis(0), n(1))}});
  EXPECT_NE(check_explanation(program, elected, wrong), "");
}

// What an explanation may not contain, whatever its steps prove one by one.
TEST(Explanation, NamesAndShapesAreHeldTogether) {
  const Program program = chain();
  const std::vector<rules::Rule> rules{associativity(false), associativity(true)};
  const Search search = grow(program, rules, {});
  const Choice choice = extract(search, program.outputs, operations).choice;
  const Program elected = to_program(search, choice, program);
  const std::vector<Step> good = explain(search, choice, rules, program).steps;
  ASSERT_EQ(check_explanation(program, elected, good), "");
  // A step that gives an authored tensor a second definition could make it anything.
  std::vector<Step> wrong = good;
  Step twice;
  twice.rule = "none";
  twice.tensors = {program.inputs[0]};
  twice.left = twice.right = {elected.definitions.back()};
  twice.left[0].declaration.name = "Y";
  twice.right[0].declaration.name = "fresh";
  EXPECT_NE(check_explanation(program, elected, {twice}), "");
  // A step that takes a tensor for one of another shape.
  wrong = good;
  wrong[0].tensors[0].extents[0] = n(1);
  EXPECT_NE(check_explanation(program, elected, wrong), "");
  wrong = good;
  wrong.push_back(good[0]);
  EXPECT_NE(check_explanation(program, elected, wrong), "") << "the same definitions again";
}

// Two tensors that begin alike are two tensors.
TEST(Explanation, APartIsNotTheWhole) {
  const auto program = [](const std::string& tensor) {
    return text::parse_program(
        "hallmark 1 program exact input A : f32[8] input B : f32[8]"
        " define P : f32[i < 4] = A[i] define Q : f32[i < 4] = B[i]"
        " define Y : f32[i < 8] = exp(" +
            tensor + "[i]) output Y",
        "part.hm");
  };
  Step alike;  // says that both begin alike, which would be a fact about the inputs
  alike.rule = "none";
  alike.tensors = program("A").inputs;
  alike.left = {program("A").definitions[0]};
  alike.right = {program("A").definitions[1]};
  alike.left[0].declaration.name = "left";
  alike.right[0].declaration.name = "right";
  EXPECT_NE(check_explanation(program("A"), program("B"), {alike}), "");
  EXPECT_EQ(check_explanation(program("A"), program("A"), {alike}), "");
}

TEST(Search, OperandsOfASumHaveOneOrder) {
  EGraph graph;
  std::vector<ClassId> leaves;
  for (const char* name : {"A", "B"}) {
    ENode leaf;
    leaf.leaf = name;
    leaf.shape = {Format::f32, {n(4)}};
    leaves.push_back(graph.add(leaf, {name, -1, {}}));
  }
  const Term a = load("$0", {axis(0)}, Sort::real()), b = load("$1", {axis(0)}, Sort::real());
  const auto node = [&](Op op, std::vector<ClassId> children) {
    ENode out;
    out.payload = apply(op, {a, b});
    out.shape = {Format::f32, {n(4)}};
    out.children = std::move(children);
    return graph.add(out, {"t", -1, {}});
  };
  EXPECT_EQ(node(Op::add, {leaves[0], leaves[1]}), node(Op::add, {leaves[1], leaves[0]}));
  EXPECT_NE(node(Op::sub, {leaves[0], leaves[1]}), node(Op::sub, {leaves[1], leaves[0]}));
}

TEST(Search, ARuleWhoseExtentsDoNotFitDoesNotMatch) {
  Program program = chain();
  rules::Rule rule = associativity(false);
  rule.requirements = {less(symbol("M"), n(8))};
  EXPECT_TRUE(grow(program, {rule}, {}).applications.empty());
  rule.requirements = {at_most(symbol("M"), n(8))};
  EXPECT_FALSE(grow(program, {rule}, {}).applications.empty());
}

// A requirement about a size that is only known as a symbol is not decided, and what is not decided does not
// fire.
TEST(Search, AnUndecidedRequirementDoesNotFire) {
  Program program = chain();
  const Term B = symbol("batch");
  program.symbols = {{"batch", 1, {}}};
  program.inputs[0].extents[0] = B;
  program.definitions[0] = matmul("T", "A", "B", B, n(512), n(512));
  program.definitions[1] = imported(matmul("Y", "T", "v", B, n(512), n(1)));
  rules::Rule rule = associativity(false);
  EXPECT_FALSE(grow(program, {rule}, {}).applications.empty());
  rule.requirements = {at_most(symbol("M"), n(8))};
  EXPECT_TRUE(grow(program, {rule}, {}).applications.empty());
}

TEST(Search, BudgetsAreKeptAndNamed) {
  Budget budget;
  budget.applications = 1;
  EXPECT_EQ(grow(chain(), {associativity(false), associativity(true)}, budget).stop,
            StopReason::application_limit);
  budget = {};
  budget.iterations = 1;
  EXPECT_EQ(grow(chain(), {associativity(false), associativity(true)}, budget).stop,
            StopReason::iteration_limit);
}

// What the importer writes of a convolution: guards that always hold are left out, strides and pads are
// numbers.
Program normalised_convolution(const std::string& convolution, const std::string& weights) {
  return text::parse_program(
      "hallmark 1 program exact input x : f32[1, 4, 6, 6] input w : " + weights +
          " input s : f32[8] input b : f32[8] input m : f32[8] input v : f32[8] " + convolution +
          " define y : f32[i < 1, j < 8, l < 6, m < 6] = b[j] + s[j] * ((t[0, j, l, m] - m[j]) / "
          "sqrt(0x1.4f8b58p-17 + v[j])) output y",
      "test");
}

// A rule for every stride and pad matches convolutions with a few of its guards or none, and the steps
// connect the programs.
TEST(Search, BatchNormalizationFoldsIntoConvolutionsAsTheyAreImported) {
  std::vector<rules::Rule> rules;
  for (const rules::RuleFamily& family :
       rules::load_rules({HALLMARK_SOURCE_DIR "/corpus/rules/convolution.hm"}))
    for (const rules::Rule& rule : family.instances)
      if (rule.name == "convolution/batch-normalisation-into-padded-convolution") rules.push_back(rule);
  ASSERT_EQ(rules.size(), 1U);
  const std::string one_tap =
      "define t : f32[i < 1, j < 8, l < 6, m < 6] = fold(k < 4; s = 0 -> fold(q < 1; s1 = s -> fold(r < 1; "
      "s2 = s1 -> w[j, k, "
      "q, r] * x[0, k, l + q, m + r] + s2)))";
  const std::string padded =
      "define t : f32[i < 1, j < 8, l < 6, m < 6] = fold(k < 4; s = 0 -> fold(q < 3 where l + q <= 6 and 0 < "
      "l + q; s1 = s -> "
      "fold(r < 3 where m + r <= 6 and 0 < m + r; s2 = s1 -> w[j, k, q, r] * x[0, k, l + q - 1, m + r - 1] + "
      "s2)))";
  // Another factor of the row than that of the guard: no convolution.
  const std::string crooked =
      "define t : f32[i < 1, j < 8, l < 6, m < 6] = fold(k < 4; s = 0 -> fold(q < 3 where l + q <= 6 and 0 < "
      "l + q; s1 = s -> "
      "fold(r < 3 where l + r <= 6 and 0 < l + r; s2 = s1 -> w[j, k, q, r] * x[0, k, l + q - 1, l + r - 1] + "
      "s2)))";
  for (const auto& [convolution, weights, matches] : {std::tuple{one_tap, "f32[8, 4, 1, 1]", true},
                                                      {padded, "f32[8, 4, 3, 3]", true},
                                                      {crooked, "f32[8, 4, 3, 3]", false}}) {
    const Program program = normalised_convolution(convolution, weights);
    const Search search = grow(program, rules, {});
    ASSERT_EQ(search.applications.size(), matches ? 1U : 0U) << convolution;
    if (!matches) continue;
    // Dear: whatever reads five tensors, which is the normalisation.
    const Extraction best = extract(search, program.outputs, [](const ENode& node, const EGraph&) {
      return Rational(node.children.size() == 5 ? 100 : 1);
    });
    const Program elected = to_program(search, best.choice, program);
    EXPECT_EQ(elected.definitions.size(), 3U);
    const Explanation why = explain(search, best.choice, rules, program);
    EXPECT_EQ(why.steps.size(), 1U);
    EXPECT_EQ(check_explanation(program, elected, why.steps), "");
    EXPECT_NE(check_explanation(program, elected, {}), "");
  }
}

}  // namespace
}  // namespace hallmark::search
