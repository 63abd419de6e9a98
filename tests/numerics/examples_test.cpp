// The files of corpus/examples/numerics have the verdicts that their first lines promise, and each file is
// here.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "calculus/text/text.h"
#include "contract/number.h"
#include "formulation/erase.h"
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

const std::string folder = std::string(HALLMARK_SOURCE_DIR) + "/corpus/examples/numerics/";

struct Example {
  const char* file;
  std::vector<std::pair<const char*, State>> verdicts;  // by name of the FPCore, or of the output
};
const Example examples[] = {
    {"softmax_of_two.fpcore", {{"naive", State::refuted}, {"with-maximum", State::proved}}},
    {"two_roundings.fpcore", {{"twice", State::refuted}, {"once", State::proved}}},
    {"running_sum.fpcore",
     {{"ones-512", State::refuted}, {"ones-256", State::proved}, {"ones-512-wide", State::proved}}},
    {"near_an_integer.fpcore",
     {{"floor-of-tenfold", State::refuted}, {"floor-less-argument", State::proved}}},
    {"variance.hm", {{"variance", State::refuted}}}};

// The options of the command in the first line.
struct Command {
  ExpressionModel model;
  contract::Tolerance tolerance;
};
Command command(const std::string& text) {
  Command out;
  std::istringstream words(text.substr(0, text.find('\n')));
  std::string word, value;
  while (words >> word) {
    if (word.rfind("--", 0) != 0) continue;
    words >> value;
    if (word == "--inputs") out.model.inputs_rounded = value == "rounded";
    if (word == "--absolute") out.tolerance.absolute = contract::parse_number(value);
    if (word == "--relative") out.tolerance.relative = contract::parse_number(value);
    if (word == "--ulp") out.tolerance.ulp = contract::parse_number(value);
  }
  EXPECT_FALSE(out.tolerance.empty()) << text;
  return out;
}

TEST(Examples, ExpressionsHaveTheirVerdicts) {
  for (const Example& example : examples) {
    const std::string path = folder + example.file;
    if (std::filesystem::path(path).extension() != ".fpcore") continue;
    const std::string text = read_file(path);
    const Command wanted = command(text);
    const std::vector<Expression> all = read_fpcores(text, path);
    ASSERT_EQ(all.size(), example.verdicts.size()) << example.file;
    for (std::size_t i = 0; i < all.size(); ++i) {
      WitnessSearch search;
      search.tolerance = wanted.tolerance;
      BoundOptions options;
      options.evaluations = 2000;
      const ExpressionReport report = bound_expression(all[i], wanted.model, options, search);
      EXPECT_EQ(all[i].name, example.verdicts[i].first);
      ASSERT_TRUE(report.verdict.has_value()) << all[i].name;
      EXPECT_EQ(*report.verdict, example.verdicts[i].second)
          << example.file << " " << all[i].name << ": " << report.verdict_text;
    }
  }
}

TEST(Examples, TheProgramHasItsVerdict) {
  const Program p = calculus::text::parse_program(read_file(folder + "variance.hm"), "variance.hm");
  const Program exact = formulation::erase(p);
  const contract::Contract c = contract::complete(contract::load(folder + "variance.contract.toml"), exact);
  const std::vector<formulation::RoundedConstant> none;
  const Outcome outcome = tolerance_outcome({exact, p, none, c}, "variance");
  EXPECT_EQ(outcome.state, State::refuted) << outcome.detail;
  EXPECT_TRUE(outcome.witness.has_value());
}

TEST(Examples, EachFileIsLookedAt) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string(), extension = entry.path().extension().string();
    if (extension != ".fpcore" && extension != ".hm") continue;
    EXPECT_TRUE(std::any_of(std::begin(examples), std::end(examples), [&](const Example& e) {
      return name == e.file;
    })) << name;
  }
}

// ---- loops
// -------------------------------------------------------------------------------------------------

TEST(Loops, AreUnrolledWhereTheirConditionCounts) {
  const auto read = [](const std::string& body, const std::string& format = "binary32") {
    return read_fpcores("(FPCore (x) :precision " + format + " :pre (<= 0 x 1) " + body + ")", "t.fpcore")
        .at(0);
  };
  // 1 + x + x^2 + x^3, three products and four sums: as written out.
  const Expression loop = read("(while (< k 4) ((k 0 (+ k 1)) (s 0 (+ (* s x) 1))) s)");
  const Expression plain = read("(+ (* (+ (* (+ (* (+ (* 0 x) 1) x) 1) x) 1) x) 1)");
  EXPECT_EQ(execute(loop, {0.7}).value(), execute(plain, {0.7}).value());
  EXPECT_EQ(bound_expression(loop, {}).bound, bound_expression(plain, {}).bound);
  // In order: k is already the next one.
  EXPECT_EQ(execute(read("(while (< k 3) ((k 0 (+ k 1)) (s 0 (+ s k))) s)"), {0}).value(), 0 + 1 + 2);
  EXPECT_EQ(execute(read("(while* (< k 3) ((k 0 (+ k 1)) (s 0 (+ s k))) s)"), {0}).value(), 1 + 2 + 3);
  // Steps that are rounded, where the computed loop ends with the exact one.
  EXPECT_EQ(execute(read("(while (< k 1) ((k 0 (+ k 0.1)) (s 0 (+ s 1))) s)"), {0}).value(), 10);
  // A loop that takes no step at all.
  EXPECT_EQ(execute(read("(while FALSE ((s 5 (+ s 1))) s)"), {0}).value(), 5);
}

TEST(Loops, ThatDoNotCountAreRefusedWithTheirPlace) {
  const auto refusal = [](const std::string& format, const std::string& body) {
    try {
      read_fpcores("(FPCore (x) :precision " + format + " :pre (<= 0 x 1)\n" + body + ")", "t.fpcore");
    } catch (const Refusal& r) {
      EXPECT_EQ(r.code(), "E8108");
      EXPECT_EQ(r.where().line, 2);
      return r.message();
    }
    return std::string();
  };
  const std::string varies = "the number of steps of this loop is not a constant";
  const std::string parts = "what is computed takes another number of steps here";
  // By an input; ten times a tenth in binary64 is below 1; in bfloat16 the counter itself stops at 256, and
  // the computed loop never ends.
  EXPECT_NE(refusal("binary32", "(while (< k x) ((k 0 (+ k 1))) k)").find(varies), std::string::npos);
  EXPECT_NE(refusal("binary64", "(while (< k 1) ((k 0 (+ k 0.1))) k)").find(parts), std::string::npos);
  EXPECT_NE(refusal("bfloat16", "(while (< k 512) ((k 0 (+ k 1))) k)").find(parts), std::string::npos);
  EXPECT_NE(refusal("binary32", "(while (< k 5000) ((k 0 (+ k 1))) k)").find("2000 steps"),
            std::string::npos);
  EXPECT_NE(refusal("binary32", "(for ((i x)) ((s 0 (+ s 1))) s)").find("without the inputs"),
            std::string::npos);
  EXPECT_NE(refusal("binary32", "(for ((i 3)) ((s x (if (< s 9) (+ s 1) s))) (tensor* ((j 2)) j))")
                .find("'tensor*'"),
            std::string::npos);
  EXPECT_NE(refusal("binary32", "(for ((i 2000)) ((s x (+ s (tensor ((j 3000)) x)))) s)").find("2000"),
            std::string::npos);
  EXPECT_NE(refusal("binary32", "(+ x INFINITY)").find("INFINITY"), std::string::npos);
  EXPECT_NE(refusal("binary32", "(fmod x 1)").find("'fmod'"), std::string::npos);
}

// ---- witnesses where a value jumps

TEST(Jumps, AreFoundBesideTheInputsWhereTheyHappen) {
  const auto verdict = [](const std::string& text) {
    ExpressionModel model;
    model.inputs_rounded = false;
    WitnessSearch search;
    search.tolerance.absolute = Rational(1, 1000);
    BoundOptions options;
    options.evaluations = 100;
    return *bound_expression(read_fpcores(text, "t.fpcore").at(0), model, options, search).verdict;
  };
  EXPECT_EQ(verdict("(FPCore (x) :precision binary32 :pre (<= 0 x 100) (floor (* x 10)))"), State::refuted);
  EXPECT_EQ(
      verdict("(FPCore (a b) :precision binary32 :pre (and (<= 0 a 1) (<= 0 b 1)) (if (> (* a b) 0.3) 1 0))"),
      State::refuted);
  EXPECT_EQ(
      verdict("(FPCore (x) :precision binary32 :pre (<= -1 x 1) :spec (nearbyint (/ x 0.007874015748031496)) "
              "(nearbyint (* x 127)))"),
      State::refuted);
  // No rounding before the step: it comes out as over the reals.
  EXPECT_EQ(verdict("(FPCore (x) :precision binary32 :pre (<= 0 x 100) (floor (* x 0.5)))"), State::proved);
}

TEST(Jumps, AnOverflowOfAFormatWithoutAnInfinityIsSeen) {
  ExpressionModel model;
  model.inputs_rounded = false;
  WitnessSearch search;
  search.tolerance.relative = Rational(1, 10);
  const auto verdict = [&](const std::string& high) {
    return *bound_expression(read_fpcores("(FPCore (x y) :precision f8e4m3 :pre (and (<= 1 x " + high +
                                              ") (<= 1 y 16)) (* x y))",
                                          "t.fpcore")
                                 .at(0),
                             model, {}, search)
                .verdict;
  };
  EXPECT_EQ(verdict("32"), State::refuted);
  EXPECT_EQ(verdict("28"), State::proved);
}

}  // namespace
}  // namespace hallmark::numerics
