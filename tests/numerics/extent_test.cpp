// How many steps a fold takes, and which element an index reads, where rounded values decide it: nothing may
// be claimed of the error then. At x = (1 - 2^-13, 1 + 2^-13) the exact product is below 1 and the one in f32
// is 1.
#include "calculus/text/text.h"
#include "formulation/erase.h"
#include "numerics/assess.h"
#include "numerics/output_bound.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

// t is rounded; c is 0 and computed as 1; b is true and computed as false. d and g rest on no rounding.
const std::string start = R"(hallmark 1
program rounded
input x : f32[2]
input z : f32[4]
define t : f32[] = x[0] * x[1]
define c : i64[] = i64(t[])
define b : bool[] = t[] < 1
define d : i64[] = i64(x[0])
define g : bool[] = x[0] < 1
)";

struct Subject {
  Program formulation, exact;
  contract::Contract contract;

  explicit Subject(const std::string& definitions)
      : formulation(text::parse_program(start + definitions + "\noutput y\n", "t.hm")),
        exact(formulation::erase(formulation)) {
    contract.inputs["x"] = {Rational(1, 2), Rational(2), std::nullopt, false};
    contract.inputs["z"] = {Rational(0), Rational(1), std::nullopt, false};
    contract.tolerance.absolute = Rational(1, 1000);
    contract = contract::complete(contract, exact);
  }
  AdmissionInput input() const {
    static const std::vector<formulation::RoundedConstant> none;
    return {exact, formulation, none, contract};
  }
  AssessedOutput assessed() const { return assess(input()).outputs.at("y"); }
  // Whether the output differs at the point above and z = (1, 1/2, 1/4, 1/8).
  bool differs() const {
    Point point;
    point.inputs["x"] = tensor(Format::f32, {2}, {1 - 0x1p-13, 1 + 0x1p-13});
    point.inputs["z"] = tensor(Format::f32, {4}, {1, 0.5, 0.25, 0.125});
    const Rational computed = element_value(simulate(formulation, point).at("y"), 0).value();
    Reference reference(exact, point);
    const ReferenceValue value = reference.element("y", {});
    if (value.kind == ReferenceValue::Kind::truth) return value.truth != (computed != 0);
    if (value.kind == ReferenceValue::Kind::integer) return Rational(value.integer) != computed;
    return Rational(1, 1000) < abs(value.real.value() - Interval(computed)).exact_low();
  }
};

class DecidedByRounding : public ::testing::TestWithParam<std::string> {};

TEST_P(DecidedByRounding, NothingIsClaimed) {
  const Subject s(GetParam());
  EXPECT_TRUE(s.differs());
  EXPECT_FALSE(s.assessed().within_tolerance) << s.assessed().detail;
  // A bound may be claimed that is as great as what the outcome can change.
  const std::optional<Rational> error = s.assessed().error;
  EXPECT_TRUE(!error || *error > Rational(1, 1000)) << s.assessed().detail;
  EXPECT_NE(tolerance_outcome(s.input(), "y").state, State::proved);
}

INSTANTIATE_TEST_SUITE_P(
    Extents, DecidedByRounding,
    ::testing::Values(
        "define y : f32[] = sum(j < max(0, min(index(c[]), 3)); order seq) z[j]",
        "define y : f32[] = sum(j < max(0, min(index(i64(x[0] * x[1])), 3)); order seq) z[j]",
        "define y : f32[] = sum(j < max(0, min(index(c[]), 3))) z[j]",
        "define y : f32[] = sum(j < max(0, min(index(c[]), 3)); order strided(2, tree(2))) z[j]",
        "define y : f32[] = sum(j < max(0, min(index(c[]), 3)); order seq) z[j] * z[j]",
        "define y : f32[] = sum(j < 4 / (1 + max(0, min(index(c[]), 2))); order seq) z[j]",
        "define y : f32[] = sum(j < 1 + index(b[]); order seq) z[j]",
        "define y : f32[] = sum(j < (if t[] < 1 then 1 else 3); order seq) z[j]",
        "define y : f32[] = sum(j < (if z[0] < 2 and t[] < 1 then 1 else 3); order seq) z[j]",
        "define y : f32[] = sum(j < (if index(c[]) < 1 then 1 else 3); order seq) z[j]",
        "define y : f32[] = max(j < 1 + max(0, min(index(c[]), 2))) z[3 - j]",
        "define y : f32[] = min(j < 1 + max(0, min(index(c[]), 2))) z[j]",
        "define y : f32[] = max(k < 2) max(j < 1 + max(0, min(index(c[]), 2))) z[3 - j]",
        "define y : f32[] = fold(j < max(0, min(index(c[]), 3)); order seq; s = 1 -> s * z[j + 1])",
        "define y : f32[] = sum(k < 2; order seq) sum(j < 1 + max(0, min(index(c[]), 1)); order seq) z[j + "
        "k]",
        "define y : f32[] = fold(k < 2; order seq; s = 0 -> fold(j < max(0, min(index(c[]), 3)); order seq; "
        "r = s "
        "-> r + z[j]))",
        "define y : f32[] = fold(j < 1 + max(0, min(index(c[]), 2)); order seq; m = 0 -> m + (z[j] - m) / "
        "f32(j + "
        "1))",
        "define y : f32[] = fold(j < 1 + max(0, min(index(c[]), 2)); order seq; s = 0 -> s + (z[j] - e), e = "
        "0 -> "
        "((s + (z[j] - e)) - s) - (z[j] - e); s)",
        "define m : f32[] = max(j < 1 + max(0, min(index(c[]), 3))) z[3 - j]\n"
        "define y : f32[] = z[0] - m[]",
        "define m : f32[] = sum(j < 1 + max(0, min(index(c[]), 3)); order seq) z[j]\n"
        "define y : f32[] = z[0] / (m[] + 1)",
        "define y : i64[] = fold(j < max(0, min(index(c[]), 3)); s = 0 -> s + 1)",
        "define y : i64[] = fold(j < max(0, min(index(c[]), 3)) + 70; s = 0 -> s + 1)",
        "define y : bool[] = any(j < max(0, min(index(c[]), 3))) (z[j] < 2)",
        "define y : bool[] = all(j < max(0, min(index(c[]), 3))) (z[j] > 2)"));

INSTANTIATE_TEST_SUITE_P(
    Indices, DecidedByRounding,
    ::testing::Values("define y : f32[] = z[if t[] < 1 then 0 else 3]",
                      "define y : f32[] = z[if z[0] < 2 and t[] < 1 then 0 else 3]",
                      "define y : f32[] = z[if index(c[]) < 1 then 0 else 3]",
                      "define y : f32[] = z[index(b[])]", "define y : f32[] = z[max(0, min(index(c[]), 3))]",
                      "define y : f32[] = f32(if t[] < 1 then 1 else 3)",
                      "define y : i64[] = i64(if t[] < 1 then 1 else 3)",
                      "define y : f32[] = sum(k < 4 where k < (if t[] < 1 then 1 else 3); order seq) z[k]",
                      "define y : f32[] = if index(c[]) < 1 then z[0] else z[3]"));

// A fold of truths or integers inside of one whose running value is rounded: n becomes t t exactly, and 1.
INSTANTIATE_TEST_SUITE_P(
    States, DecidedByRounding,
    ::testing::Values(
        "define y : bool[] = fold(k < 3; order seq; n = t[] -> n * 1, s = false -> any(j < 100) (n < 1); s)",
        "define y : f32[] = fold(k < 3; order seq; n = t[] -> n * 1, s = 0 -> s + (if any(j < 100) (n < 1) "
        "then 1 "
        "else 0); s)",
        "define y : i64[] = fold(k < 2; order seq; n = t[] -> n * 1, s = 0 -> fold(j < 100; r = s -> if n < "
        "1 then r "
        "+ 1 else r); s)"));

class DecidedExactly : public ::testing::TestWithParam<std::string> {};

TEST_P(DecidedExactly, TheBoundIsProved) {
  const Subject s(GetParam());
  EXPECT_FALSE(s.differs());
  EXPECT_TRUE(s.assessed().within_tolerance) << s.assessed().detail;
}

INSTANTIATE_TEST_SUITE_P(
    Extents, DecidedExactly,
    ::testing::Values("define y : f32[] = sum(j < max(0, min(index(d[]), 3)); order seq) z[j]",
                      "define y : f32[] = sum(j < 1 + index(g[]); order seq) z[j]",
                      "define y : f32[] = sum(j < (if x[0] < 1 then 1 else 3); order seq) z[j]",
                      "define y : f32[] = max(j < 1 + max(0, min(index(d[]), 2))) z[j]",
                      "define y : f32[] = z[if x[0] < 1 then 0 else 3]",
                      "define y : f32[] = z[max(0, min(index(d[]), 3))]",
                      // Whatever c is, the extent is one number.
                      "define y : f32[] = sum(j < max(2, min(index(c[]), 2)); order seq) z[j]",
                      "define y : f32[] = sum(j < min(0, index(c[])); order seq) z[j]"));

OutputBound bound_of(const Subject& s) {
  WitnessOptions search;
  search.simulate = simulate;
  search.work_limit = 100'000;
  return output_bounds(s.input(), search).at(0);
}

TEST(OutputBounds, ATruthValueThatRoundingMayChangeHasNone) {
  for (const char* differs : {"define y : bool[] = b[] and (z[0] < 2)",
                              "define y : bool[] = any(k < 4) (t[] < z[k])", "define y : bool[] = not b[]"}) {
    const Subject s(differs);
    EXPECT_FALSE(bound_of(s).absolute.has_value()) << differs;
    EXPECT_FALSE(s.assessed().error.has_value()) << differs;
    EXPECT_NE(s.assessed().detail.find("another one on rounded operands"), std::string::npos)
        << s.assessed().detail;
  }
  for (const char* same :
       {"define y : bool[] = g[] and (z[0] < 2)", "define y : bool[] = b[] or (z[0] < 2)"}) {
    const Subject s(same);
    EXPECT_TRUE(bound_of(s).absolute.has_value()) << same;
    EXPECT_TRUE(s.assessed().within_tolerance) << same;
  }
}

TEST(OutputBounds, AreOfFiniteInputsAloneWhereTheContractAdmitsOthers) {
  Subject s("define y : f32[] = t[] + z[0]");
  EXPECT_FALSE(bound_of(s).finite_only);
  EXPECT_TRUE(s.assessed().within_tolerance);
  s.contract.infinity_allowed = true;
  EXPECT_TRUE(bound_of(s).finite_only);
  EXPECT_FALSE(s.assessed().within_tolerance);
}

// A sum in f16 that is off by the tolerance at no size that is tried first: what does not grow with its
// length is found where the contract lets it be long.
TEST(Witnesses, AreLookedForAtTheSizesThatTheContractAllows) {
  const Program p = text::parse_program(
      "hallmark 1\nprogram rounded\nsymbol K : 1 .. 4096\nsymbol M : 1 .. 64\ninput x : f16[M, K]\n"
      "define y : f16[i < M] = sum(k < K; order seq) x[i, k]\noutput y\n",
      "t.hm");
  const Program exact = formulation::erase(p);
  contract::Contract c;
  c.inputs["x"] = {Rational(1, 2), Rational(1), std::nullopt, false};
  c.tolerance.relative = Rational(1, 100);
  static const std::vector<formulation::RoundedConstant> none;
  const Outcome outcome = tolerance_outcome({exact, p, none, c}, "y");
  EXPECT_EQ(outcome.state, State::refuted);
  ASSERT_TRUE(outcome.witness);
  bool long_one = false;
  for (const auto& [name, value] : outcome.witness->bindings)
    if (name == "K") long_one = Integer(value) > 100;
  EXPECT_TRUE(long_one) << outcome.witness->summary;
  // Where it may not be long it is within the tolerance.
  contract::Contract small = c;
  small.dimensions["K"] = {1, Integer(4)};
  EXPECT_EQ(tolerance_outcome({exact, p, none, small}, "y").state, State::proved);
}

}  // namespace
}  // namespace hallmark::numerics
