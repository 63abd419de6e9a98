// The obligations of link 2: the list, each kind proved, and for each kind a twin that must not be proved.
#include <algorithm>

#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

Term x_at(Term k) {
  return real_load("x", {k});
}
Term div(Term a, Term b) {
  return apply(Op::div, {a, b});
}
Term sub(Term a, Term b) {
  return apply(Op::sub, {a, b});
}

// A row softmax in four definitions; without the shift by the maximum it overflows.
Program softmax(long n, bool shifted) {
  Builder b;
  const std::size_t size = static_cast<std::size_t>(n);
  b.input("x", {n});
  if (shifted) b.define("m", {}, max_over(size, x_at));
  const Term argument = shifted ? sub(x_at(axis(0)), real_load("m", {})) : x_at(axis(0));
  b.define("e", {n}, apply(Op::exp, {argument}));
  b.define("s", {}, over(size, [](Term k) { return real_load("e", {k}); }));
  b.define("y", {n}, div(real_load("e", {axis(0)}), real_load("s", {})));
  return b.program;
}

std::string all_text(const std::vector<Obligation>& list) {
  std::string out;
  for (const Obligation& o : list) {
    out += o.id + "|" + o.statement + "|" + o.scope + "|" + std::string(name(o.outcome.state)) + "|" +
           std::string(name(o.outcome.reason)) + "|" + o.outcome.detail;
    for (const std::string& a : o.outcome.assumptions) out += "|" + a;
    if (o.outcome.witness) {
      out += "|" + o.outcome.witness->summary;
      for (const auto& [key, value] : o.outcome.witness->bindings) out += "|" + key + "=" + value;
    }
    out += "\n";
  }
  return out;
}

TEST(Admission, TheListIsFixedBeforeAnythingIsSolvedAndTheOutcomesDoNotVary) {
  const Program p = softmax(8, true);
  const contract::Contract c = with_tolerance(boxes(p, -10, 10), Rational(1, 100000));
  const formulation::Formulation f = formulation::formulate(p);
  const AdmissionInput input{p, f.program, f.constants, c};
  const std::vector<Obligation> list = list_admission_obligations(input);
  for (const Obligation& o : list) {
    EXPECT_EQ(o.outcome.state, State::unrun);
    EXPECT_EQ(o.outcome.reason, Reason::not_scheduled);
  }
  std::vector<std::string> ids;
  for (const Obligation& o : list) ids.push_back(o.id);
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  // Four definitions: five kinds each and the constant in the sum's start; one output.
  for (const std::string& d : std::vector<std::string>{"m", "e", "s", "y"})
    for (const std::string& id : {"defined/" + d + "/model", "defined/" + d + "/plan", "range/" + d + "/plan",
                                  "rounding/" + d + "/plan", "erasure/" + d + "/plan"})
      EXPECT_EQ(std::count(ids.begin(), ids.end(), id), 1) << id;
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "tolerance/y/model"), 1);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "constant/s/plan"), 1);
  WitnessOptions options;
  options.simulate = simulate;
  std::vector<Obligation> first = list, second = list_admission_obligations(input);
  discharge_admission(first, input, options);
  discharge_admission(second, input, options);
  EXPECT_EQ(all_text(first), all_text(second));
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(first[i].statement, list[i].statement);
}

TEST(Admission, AShiftedSoftmaxIsProvedFromEndToEnd) {
  const Program p = softmax(1024, true);
  formulation::Options options;
  options.default_order = formulation::block_order(64);
  const Admitted a = admit(p, with_tolerance(boxes(p, -10, 10), 0, Rational(1, 20000)), options);
  for (const Obligation& o : a.list)
    EXPECT_EQ(o.outcome.state, State::proved) << o.id << ": " << o.outcome.detail;
  const Outcome& o = a.of("tolerance/y/model");
  ASSERT_EQ(o.assumptions.size(), 1U);
  EXPECT_EQ(o.assumptions[0].rfind("accuracy:exp_f32:1ulp:", 0), 0U) << o.assumptions[0];
  EXPECT_NE(o.detail.find("budget"), std::string::npos) << o.detail;
  const auto& by = o.discharged_by;
  EXPECT_NE(std::find(by.begin(), by.end(), "theorem:term-below-sum"), by.end());
}

TEST(Admission, ASoftmaxWithoutShiftOverflows) {
  const Program p = softmax(8, false);
  const Admitted a = admit(p, with_tolerance(boxes(p, -100, 100), Rational(1, 1000)));
  EXPECT_EQ(a.of("range/e/plan").state, State::refuted) << a.of("range/e/plan").detail;
  EXPECT_EQ(a.of("tolerance/y/model").state, State::refuted);
  // The exact value is defined all the same.
  EXPECT_EQ(a.of("defined/e/model").state, State::proved);
}

TEST(Admission, ASoftmaxRowAtEightyTwoOverflowsInItsSum) {
  const Program p = softmax(1024, false);
  const Admitted a = admit(p, with_tolerance(boxes(p, 81, 82), Rational(1, 100000)));
  EXPECT_EQ(a.of("range/e/plan").state, State::proved) << a.of("range/e/plan").detail;
  EXPECT_EQ(a.of("range/s/plan").state, State::refuted) << a.of("range/s/plan").detail;
  EXPECT_EQ(a.of("tolerance/y/model").state, State::refuted);
}

TEST(Admission, HalfPrecisionAccumulationIsRefuted) {
  Builder b;
  b.input("x", {2048}, Format::f16).input("y", {2048}, Format::f16);
  b.define("d", {},
           over(2048,
                [](Term k) {
                  return apply(Op::mul, {x_at(k), real_load("y", {k})});
                }),
           Format::f16);
  formulation::Options options;
  options.compute = Format::f16;
  const Admitted a =
      admit(b.program, with_tolerance(boxes(b.program, 0, 1), Rational(1, 2), Rational(1, 100)), options);
  EXPECT_EQ(a.of("tolerance/d/model").state, State::refuted) << a.of("tolerance/d/model").detail;
  // With an f32 accumulator and one rounding at the end it is proved.
  const Admitted wide =
      admit(b.program, with_tolerance(boxes(b.program, 0, 1), Rational(1, 2), Rational(1, 100)));
  EXPECT_EQ(wide.of("tolerance/d/model").state, State::proved) << wide.of("tolerance/d/model").detail;
}

// A tolerance that no formulation can keep is refuted; between bound and worst error seen it is a gap; never
// proved.
TEST(Admission, ATighteningToleranceGoesFromProvedOverGapToRefuted) {
  // Fourth powers: no input of ours errs at every addition, so a gap is left.
  Builder b;
  b.input("x", {16});
  b.define("s", {}, over(16, [](Term k) {
             const Term square = apply(Op::mul, {x_at(k), x_at(k)});
             return apply(Op::mul, {square, square});
           }));
  const auto state = [&](const Rational& tolerance) {
    const Admitted a = admit(b.program, with_tolerance(boxes(b.program, -1, 1), tolerance));
    return a.of("tolerance/s/model");
  };
  EXPECT_EQ(state(Rational(1, 10000)).state, State::proved);
  EXPECT_EQ(state(Rational(1, Integer("10000000000"))).state, State::refuted);
  EXPECT_EQ(state(0).state, State::refuted);
  const formulation::Formulation f = formulation::formulate(b.program);
  const contract::Contract box = boxes(b.program, -1, 1);
  const Rational bound = analyse({f.program, box, &f.constants, nullptr, nullptr, nullptr}, Pass::composed)
                             .at("s")
                             .value->absolute.exact_high();
  const Outcome gap = state(bound * Rational(99, 100));
  EXPECT_EQ(gap.state, State::unrun);
  EXPECT_EQ(gap.reason, Reason::gap);
  EXPECT_NE(gap.detail.find("bound at most"), std::string::npos) << gap.detail;
  EXPECT_NE(gap.detail.find("worst error seen"), std::string::npos) << gap.detail;
}

TEST(Admission, WithoutASimulationNothingIsRefuted) {
  Builder b;
  b.input("x", {16});
  b.define("s", {}, over(16, x_at));
  const contract::Contract c = with_tolerance(boxes(b.program, -1, 1), 0);
  const formulation::Formulation f = formulation::formulate(b.program);
  const AdmissionInput input{b.program, f.program, f.constants, c};
  std::vector<Obligation> list = list_admission_obligations(input);
  discharge_admission(list, input);
  for (const Obligation& o : list) {
    EXPECT_NE(o.outcome.state, State::refuted);
    if (o.kind == ObligationKind::tolerance) {
      EXPECT_EQ(o.outcome.reason, Reason::gap);
    }
  }
}

// Soundness A5: a formulation whose real value is another one (variance over n - 1) is not proved against the
// authored term, however small its own rounding error is.
TEST(Admission, AFormulationOfAnotherValueIsNotProved) {
  const auto variance = [](long divisor) {
    Builder b;
    b.input("x", {4});
    b.define("v", {}, div(over(4, [](Term k) { return apply(Op::mul, {x_at(k), x_at(k)}); }), real(divisor)));
    return b.program;
  };
  const Program authored = variance(4);
  const formulation::Formulation other = formulation::formulate(variance(3));
  const contract::Contract c = with_tolerance(boxes(authored, 0, 1), Rational(1, 1000));
  const AdmissionInput input{authored, other.program, other.constants, c};
  std::vector<Obligation> list = list_admission_obligations(input);
  WitnessOptions options;
  options.simulate = simulate;
  discharge_admission(list, input, options);
  const Admitted a{other, list};
  EXPECT_EQ(a.of("rounding/v/plan").state, State::proved);
  EXPECT_EQ(a.of("erasure/v/plan").state, State::unrun);
  EXPECT_EQ(a.of("tolerance/v/model").state, State::refuted);
  // Without a witness search it stays open.
  std::vector<Obligation> again = list_admission_obligations(input);
  discharge_admission(again, input);
  EXPECT_EQ((Admitted{other, again}.of("tolerance/v/model").state), State::unrun);
}

TEST(Admission, AConstantThatIsNotTheCorrectRoundingIsNotProved) {
  Builder b;
  b.input("x", {});
  b.define("y", {}, apply(Op::mul, {real_load("x", {}), real_constant(Rational(1, 10))}));
  formulation::Formulation f = formulation::formulate(b.program);
  const contract::Contract c = with_tolerance(boxes(b.program, -1, 1), Rational(1, 1000000));
  const auto outcome = [&](const formulation::Formulation& g) {
    const AdmissionInput input{b.program, g.program, g.constants, c};
    std::vector<Obligation> list = list_admission_obligations(input);
    discharge_admission(list, input);
    return Admitted{g, list}.of("constant/y/plan");
  };
  EXPECT_EQ(outcome(f).state, State::proved);
  EXPECT_EQ(outcome(f).discharged_by, std::vector<std::string>{"mpfr"});
  for (formulation::RoundedConstant& constant : f.constants) constant.bits += 1;
  EXPECT_NE(outcome(f).state, State::proved);
}

TEST(Admission, AComparisonOfRoundedValuesIsAGapAndOneOfExactValuesIsProved) {
  // Soundness B3: where a + b > a, the real value is 1 and f32 gives 0 for a = 2^24, b = 1.
  Builder b;
  b.input("a", {}).input("b", {});
  const Term sum = apply(Op::add, {real_load("a", {}), real_load("b", {})});
  b.define("t", {}, sum);
  b.define("y", {}, select(compare(Op::lt, real_load("a", {}), real_load("t", {})), real(1), real(0)));
  b.define("z", {}, select(compare(Op::lt, real_load("a", {}), real_load("b", {})), real(1), real(0)));
  b.program.outputs = {"y", "z"};
  const Rational limit(Integer(1) << 25);
  const Admitted a = admit(b.program, with_tolerance(boxes(b.program, -limit, limit), Rational(1, 2)));
  EXPECT_EQ(a.of("branch/y/plan").reason, Reason::gap);
  EXPECT_NE(a.of("tolerance/y/model").state, State::proved);
  EXPECT_EQ(a.of("branch/z/plan").state, State::proved);
  EXPECT_EQ(a.of("tolerance/z/model").state, State::proved) << a.of("tolerance/z/model").detail;
}

TEST(Admission, ADivisionByZeroOfTheAuthoredProgramIsRefutedWithTheInput) {
  Builder b;
  b.input("x", {4});
  b.define("r", {4}, div(real(1), x_at(axis(0))));
  const Admitted a = admit(b.program, with_tolerance(boxes(b.program, -1, 1), Rational(1, 1000)));
  const Outcome& o = a.of("defined/r/model");
  EXPECT_EQ(o.state, State::refuted) << o.detail;
  EXPECT_EQ(o.witness->executed_by, "reference");
  EXPECT_EQ(a.of("defined/r/plan").state, State::refuted) << a.of("defined/r/plan").detail;
  EXPECT_EQ(
      admit(b.program, with_tolerance(boxes(b.program, 1, 2), Rational(1, 1000))).of("defined/r/model").state,
      State::proved);
}

// An operand outside of its domain in a branch that is not taken is no fault.
TEST(Admission, AGuardedDivisionIsNotRefuted) {
  Builder b;
  b.input("x", {4});
  const Term x = x_at(axis(0));
  b.define("r", {4}, select(compare(Op::eq, x, real(0)), real(0), div(real(1), x)));
  const Admitted a = admit(b.program, with_tolerance(boxes(b.program, -1, 1), Rational(1, 1000)));
  EXPECT_EQ(a.of("defined/r/plan").state, State::unrun) << a.of("defined/r/plan").detail;
  EXPECT_EQ(a.of("defined/r/model").state, State::unrun);
  // An order guard is understood.
  Builder c;
  c.input("x", {4});
  c.define("r", {4}, select(compare(Op::lt, real(0), x), apply(Op::log, {x}), real(0)));
  const Admitted d = admit(c.program, with_tolerance(boxes(c.program, -1, 1), Rational(1, 1000)));
  EXPECT_EQ(d.of("defined/r/plan").state, State::proved) << d.of("defined/r/plan").detail;
  EXPECT_EQ(d.of("branch/r/plan").state, State::proved);
  EXPECT_EQ(d.of("tolerance/r/model").state, State::proved) << d.of("tolerance/r/model").detail;
}

// The error of the mean counts squared in the variance: a layer norm is proved where the plain rules would
// not.
TEST(Admission, ALayerNormIsProvedFromEndToEnd) {
  const long n = 768;
  Builder b;
  b.input("x", {n});
  b.define("m", {}, div(over(768, x_at), real(n)));
  b.define("v", {},
           div(over(768,
                    [](Term k) {
                      const Term d = sub(x_at(k), real_load("m", {}));
                      return apply(Op::mul, {d, d});
                    }),
               real(n)));
  const Term root =
      apply(Op::sqrt, {apply(Op::add, {real_load("v", {}), real_constant(Rational(1, 100000))})});
  b.define("y", {n}, div(sub(x_at(axis(0)), real_load("m", {})), root));
  formulation::Options options;
  options.default_order = formulation::block_order(64);
  const Admitted a = admit(
      b.program, with_tolerance(boxes(b.program, -1, 1), Rational(1, 1000), Rational(1, 1000)), options);
  const Outcome& o = a.of("tolerance/y/model");
  EXPECT_EQ(o.state, State::proved) << o.detail;
  EXPECT_NE(std::find(o.discharged_by.begin(), o.discharged_by.end(), "interval"), o.discharged_by.end());
}

TEST(Admission, NaNInputsHaveNoRealBound) {
  const Program p = softmax(4, true);
  contract::Contract c = with_tolerance(boxes(p, -1, 1), Rational(1, 1000));
  c.nan_allowed = true;
  const Admitted a = admit(p, c);
  EXPECT_EQ(a.of("range/e/plan").reason, Reason::unsupported);
  EXPECT_EQ(a.of("tolerance/y/model").reason, Reason::unsupported);
  EXPECT_EQ(a.of("erasure/y/plan").state, State::proved);
}

TEST(Admission, DefaultBoxesAreAssumptionsOfWhatRestsOnThem) {
  const Program p = softmax(4, true);
  const Admitted a = admit(p, contract::default_contract(p));
  const auto& with = a.of("range/s/plan").assumptions;
  EXPECT_NE(std::find(with.begin(), with.end(), "default-box:x"), with.end());
  EXPECT_TRUE(a.of("erasure/s/plan").assumptions.empty());
  const auto& tolerance = a.of("tolerance/y/model").assumptions;
  EXPECT_NE(std::find(tolerance.begin(), tolerance.end(), "default-tolerance"), tolerance.end());
}

// Soundness B9: the bound holds for every size of the range, and an unbounded size has none.
TEST(Admission, SymbolicSizesAreCoveredUpToTheirGreatest) {
  Program p;
  p.symbols = {{"N", 1, std::nullopt}};
  p.inputs = {{"x", Format::f32, {symbol("N")}}};
  const Term k = fresh_variable("k");
  p.definitions = {{{"m", Format::f32, {}},
                    {},
                    div(sum(k, symbol("N"), x_at(k)), from_index(symbol("N"), Sort::real())),
                    ""}};
  p.outputs = {"m"};
  contract::Contract c = with_tolerance(boxes(p, -1, 1), Rational(1, 1000));
  EXPECT_EQ(admit(p, c).of("tolerance/m/model").state, State::unrun);
  c.dimensions["N"] = {1, Integer(1024)};
  const Admitted a = admit(p, c);
  EXPECT_EQ(a.of("defined/m/model").state, State::proved) << a.of("defined/m/model").detail;
  EXPECT_EQ(a.of("range/m/plan").state, State::proved);
  EXPECT_EQ(a.list.front().scope, "N from 1 to 1024");
  // n = 0 divides by zero.
  c.dimensions["N"] = {0, Integer(1024)};
  p.symbols[0].low = 0;
  EXPECT_NE(admit(p, c).of("defined/m/model").state, State::proved);
}

TEST(Admission, TheContractSaysWhatAFormulationMayDo) {
  Builder b;
  b.input("x", {64});
  b.define("s", {}, over(64, [](Term k) { return apply(Op::mul, {x_at(k), x_at(k)}); }));
  formulation::Options options;
  options.default_order = make_order({Order::Kind::tree, integer(64L), nullptr, nullptr, {}});
  options.compute = Format::f64;
  options.storage["s"] = Format::f16;
  const formulation::Formulation f = formulation::formulate(b.program, options);
  contract::Contract c = boxes(b.program, -1, 1);
  const AdmissionInput input{b.program, f.program, f.constants, c};
  EXPECT_EQ(contract_violations(input),
            std::vector<std::string>{"s is stored as f16, which the contract does not permit"});
  c.storage = {Format::f16};
  EXPECT_TRUE(contract_violations(input).empty());
  c.orders = {"seq"};
  EXPECT_EQ(contract_violations(input),
            std::vector<std::string>{"s reduces in the order tree, which the contract does not permit"});
}

}  // namespace
}  // namespace hallmark::numerics
