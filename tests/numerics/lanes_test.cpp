// What a formulation from a file may say and the closed forms must not take for granted: how lanes are put
// together, where a maximum starts, in which order a product is taken. And what one rounding alone tells.
#include "calculus/text/text.h"
#include "formulation/erase.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

Program program(const std::string& text) {
  return calculus::text::parse_program("hallmark 1\n" + text, "t.hm");
}

// As `hallmark numerics bound FILE.hm` reads a formulation; `exact` where the file does not erase.
std::map<std::string, Outcome> admit_text(const std::string& text, const contract::Contract& c,
                                          const Program* exact = nullptr) {
  const Program given = program(text);
  const Program meant = exact != nullptr ? *exact : formulation::erase(given);
  const std::vector<formulation::RoundedConstant> none;
  const AdmissionInput input{meant, given, none, c};
  std::vector<Obligation> list = list_admission_obligations(input);
  WitnessOptions witnesses;
  witnesses.simulate = simulate;
  discharge_admission(list, input, witnesses);
  std::map<std::string, Outcome> out;
  for (const Obligation& o : list) out[o.id] = o.outcome;
  return out;
}

std::string sum_of_four(const std::string& combine) {
  return "program rounded\ninput x : f32[4]\n"
         "define s : f32[] = fold(k < 4; order tree(4); a = 0@f32 -> a + x[k]; with r -> " +
         combine + ")\noutput s\n";
}

TEST(Lanes, AreAddedOrNothingIsProved) {
  const Program plain = program(sum_of_four("a + r"));
  const contract::Contract c = with_tolerance(boxes(plain, 0, 1), Rational(1, 1000));
  const Program exact = formulation::erase(plain);
  for (const char* right : {"a + r", "r + a"}) {
    const auto outcomes = admit_text(sum_of_four(right), c);
    for (const auto& [id, outcome] : outcomes) EXPECT_EQ(outcome.state, State::proved) << right << " " << id;
  }
  // The law holds over the reals for the last two, but what they round is another matter.
  for (const char* wrong : {"a - r", "a + r + 8@f32", "max(a, r)", "a",
                            "(a + 16777216@f32) + (r - 16777216@f32)", "2@f32 * ((a + r) * 0.5@f32)"}) {
    EXPECT_THROW(formulation::erase(program(sum_of_four(wrong))), Refusal) << wrong;
    const auto outcomes = admit_text(sum_of_four(wrong), c, &exact);
    for (const char* id : {"erasure/s/plan", "rounding/s/plan", "tolerance/s/model"})
      EXPECT_NE(outcomes.at(id).state, State::proved) << wrong << " " << id;
  }
}

TEST(Lanes, OfMaximaAndIntegersToo) {
  const auto reduction = [](const std::string& sort, const std::string& step, const std::string& combine) {
    return "program rounded\ninput x : " + sort + "[4]\ndefine s : " + sort +
           "[] = fold(k < 4; order strided(2, tree(2)); a = " + (sort == "f32" ? "-inf@f32" : "0@i32") +
           " -> " + step + "; with r -> " + combine + ")\noutput s\n";
  };
  for (const bool floats : {true, false}) {
    const std::string sort = floats ? "f32" : "i32", step = floats ? "maxnum(a, x[k])" : "a + x[k]";
    const Program right = program(reduction(sort, step, floats ? "maxnum(a, r)" : "a + r"));
    const contract::Contract c = boxes(right, 0, 9);
    const Program exact = formulation::erase(right);
    for (const char* wrong : {"a - r", "min(a, r)", "r"}) {
      const auto outcomes = admit_text(reduction(sort, step, wrong), c, &exact);
      EXPECT_NE(outcomes.at("erasure/s/plan").state, State::proved) << sort << wrong;
      EXPECT_NE(outcomes.at("tolerance/s/model").state, State::proved) << sort << wrong;
    }
    EXPECT_EQ(
        admit_text(reduction(sort, step, floats ? "maxnum(a, r)" : "a + r"), c).at("tolerance/s/model").state,
        State::proved)
        << sort;
  }
}

// The sentinel of case N-08 as the start value of the maximum itself.
TEST(Lanes, AMaximumMayStartFromASentinel) {
  const std::string text =
      "program rounded\ninput x : f32[4]\n"
      "define m : f32[] = fold(k < 4; a = -50000@f32 -> max(a, x[k]))\n"
      "define e : f32[i < 4] = exp(x[i] - m[])\n"
      "define s : f32[] = sum(k < 4) e[k]\n"
      "define y : f32[i < 4] = e[i] / s[]\noutput y\n";
  const Program p = program(text);
  const Rational tolerance(1, 1000);
  EXPECT_EQ(admit_text(text, with_tolerance(boxes(p, -40000, 0), tolerance)).at("tolerance/y/model").state,
            State::proved);
  // Nothing is known of a row that may lie below the sentinel, in part or as a whole.
  for (const long low : {-50001L, -60000L, -100000L})
    EXPECT_NE(admit_text(text, with_tolerance(boxes(p, low, 0), tolerance)).at("defined/y/plan").state,
              State::proved)
        << low;
  EXPECT_EQ(admit_text(text, with_tolerance(boxes(p, -100000, 0), tolerance)).at("tolerance/y/model").state,
            State::refuted);
}

TEST(Lanes, AProductWithoutAnOrderHasNoBound) {
  const auto text = [](const std::string& order) {
    return "program rounded\ninput x : f32[4]\ndefine p : f32[] = prod(k < 4" + order + ") x[k]\noutput p\n";
  };
  const contract::Contract c = with_tolerance(boxes(program(text("")), 1, 2), Rational(1, 1000));
  EXPECT_EQ(admit_text(text("; order seq"), c).at("tolerance/p/model").state, State::proved);
  EXPECT_NE(admit_text(text(""), c).at("tolerance/p/model").state, State::proved);
}

TEST(Units, WhatIsRoundedOnceIsWithinHalfAUnit) {
  const auto verdict = [](const std::string& body, const Rational& units) {
    const std::string text = "program rounded\ninput x : f16[3]\n" + body + "output y\n";
    contract::Contract c = boxes(program(text), 1, 10);
    c.tolerance = {};
    c.tolerance.ulp = units;
    return admit_text(text, c).at("tolerance/y/model").state;
  };
  const Rational half(1, 2), less(49, 100);
  EXPECT_EQ(verdict("define y : f16[] = x[0] * x[1]\n", half), State::proved);
  EXPECT_EQ(verdict("define y : f16[] = x[0] * x[1]\n", less), State::refuted);
  EXPECT_EQ(verdict("define z : f16[] = x[0] + x[1]\ndefine y : f16[] = -z[]\n", half), State::proved);
  // Two roundings, or one in another format.
  EXPECT_NE(verdict("define y : f16[] = x[0] * x[1] * x[2]\n", half), State::proved);
  EXPECT_NE(verdict("define z : f16[] = x[0] * x[1]\ndefine y : f16[] = z[] + x[2]\n", half), State::proved);
  EXPECT_NE(verdict("define z : f32[] = f32(x[0]) / f32(x[1])\ndefine y : f16[] = f16(z[])\n", half),
            State::proved);
  // The greatest computed value need not be the greatest value: their spacings differ.
  EXPECT_NE(verdict("define z : f16[i < 3] = -(x[i] * x[0])\n"
                    "define y : f16[] = fold(k < 3; a = -inf@f16 -> maxnum(a, z[k]))\n",
                    half),
            State::proved);
}

TEST(Units, OnesAddUpExactlyInAFewBits) {
  const auto verdict = [](long count) {
    const std::string n = std::to_string(count);
    const std::string text = "program rounded\ninput x : bf16[" + n + "]\ndefine s : bf16[] = sum(k < " + n +
                             "; order seq) x[k]\noutput s\n";
    contract::Contract c = boxes(program(text), 1, 1);
    c.tolerance.absolute = c.tolerance.relative = Rational(0);
    return admit_text(text, c).at("tolerance/s/model").state;
  };
  EXPECT_EQ(verdict(256), State::proved);
  EXPECT_EQ(verdict(258), State::refuted);
}

TEST(Undefined, AnInputWithoutAnExactValueLeavesNoToleranceToKeep) {
  const std::string text = "program rounded\ninput x : f32[4]\ndefine y : f32[i < 4] = log(x[i])\noutput y\n";
  const auto outcomes = admit_text(text, with_tolerance(boxes(program(text), 0, 1), 1));
  EXPECT_EQ(outcomes.at("defined/y/model").state, State::refuted);
  EXPECT_EQ(outcomes.at("tolerance/y/model").state, State::unrun);
  EXPECT_EQ(outcomes.at("tolerance/y/model").reason, Reason::undefined_input);
}

TEST(Literals, AreRefusedWithTheNearestOfTheFormat) {
  const auto message = [](const std::string& sort, const std::string& literal) {
    try {
      program("program rounded\ninput x : " + sort + "[1]\ndefine y : " + sort + "[] = x[0] * " + literal +
              "\noutput y\n");
    } catch (const UserError& e) {
      return e.message();
    }
    return std::string();
  };
  EXPECT_NE(message("f32", "0.1").find("the nearest is 0x1.99999ap-4"), std::string::npos);
  EXPECT_NE(message("bf16", "0.3").find("the nearest is 0x1.34p-2"), std::string::npos);
  EXPECT_NE(message("f16", "1e-9").find("the nearest is 0"), std::string::npos);
  EXPECT_NE(message("f16", "70000").find("65504"), std::string::npos);
  EXPECT_EQ(message("f32", "0x1.99999ap-4"), "");
}

}  // namespace
}  // namespace hallmark::numerics
