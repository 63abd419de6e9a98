// Welford's mean and variance: the bound above every run and above the expression tool's, and loops that only
// look like it.
#include <fmt/format.h>

#include <cmath>

#include "calculus/text/text.h"
#include "formulation/erase.h"
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

struct Form {
  std::string divisor = "FORMAT(k + 1)", first = "m", second = "MEAN", order = "seq", start = "0", state;
  std::string added = "q + (x[k] - OLD) * (x[k] - NEW)";
};

void replace(std::string& text, const std::string& mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size()))
    text.replace(at, mark.size(), by);
}

// Outputs: m, the mean, and q, the sum of the squared deviations.
std::string welford(long n, const std::string& format = "f32", const Form& form = {}) {
  std::string out = "hallmark 1\nprogram rounded\ninput x : FORMAT[SIZE]\n";
  for (const char* result : {"m", "q"})
    out += "define " + std::string(result == std::string("m") ? "average" : "squares") +
           " : FORMAT[] = fold(k < SIZE; order " + form.order + "; " + form.state + "m = " + form.start +
           "@FORMAT -> MEAN, q = 0@FORMAT -> " + form.added + "; " + result + ")\n";
  out += "output average\noutput squares\n";
  replace(out, "OLD", form.first);
  replace(out, "NEW", form.second);
  replace(out, "MEAN", "(m + (x[k] - m) / " + form.divisor + ")");
  replace(out, "FORMAT", format);
  replace(out, "SIZE", std::to_string(n));
  return out;
}

ProgramResult analysed(const std::string& text, const Rational& low, const Rational& high,
                       bool exact = false) {
  const Program given = calculus::text::parse_program(text, "t.hm");
  const Program program = exact ? formulation::erase(given) : given;
  const contract::Contract c = boxes(program, low, high);
  return analyse({program, c, nullptr, nullptr, nullptr, nullptr}, exact ? Pass::exact : Pass::composed);
}
bool by_theorem(const DefinitionResult& r) {
  return r.value && r.theorems.count("running-mean") == 1;
}

// The exact mean and sum of squared deviations.
std::pair<Rational, Rational> exact(const TensorData& x, long n) {
  Rational mean = 0, sum = 0;
  for (long k = 0; k < n; ++k) mean += *element_value(x, k);
  mean /= n;
  for (long k = 0; k < n; ++k) {
    const Rational d = *element_value(x, k) - mean;
    sum += d * d;
  }
  return {mean, sum};
}

std::vector<double> row(std::mt19937_64& random, long n, double low, double high, int kind) {
  std::vector<double> out;
  std::uniform_real_distribution<double> uniform(low, high);
  const double drift = uniform(random), edge = random() % 2 == 0 ? low : high;
  for (long k = 0; k < n; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(n);
    const double kinds[] = {uniform(random),
                            random() % 2 == 0 ? low : high,
                            k == 0 ? edge : drift,                     // one of another kind, then a constant
                            low + (high - low) * t,                    // rising
                            high - (high - low) * t * t,               // falling
                            k % 2 == 0 ? edge : edge * (1 - 0x1p-20),  // nearly constant
                            k < n / 2 ? low : high};
    out.push_back(kinds[kind]);
  }
  return out;
}

TEST(RunningMeans, AreAboveEveryRun) {
  std::mt19937_64 random(11);
  for (const Format format : {Format::f32, Format::f16, Format::bf16})
    for (const long n : {1, 2, 3, 4, 33, 200})
      for (const auto& range :
           std::vector<std::pair<double, double>>{{-1, 1}, {0.75, 1}, {96, 104}, {-0.0001, 0.0002}}) {
        const double low = range.first, high = range.second;
        const std::string text = welford(n, std::string(name(format)));
        const ProgramResult result = analysed(text, exact_rational(low), exact_rational(high));
        // In half a dozen bits nothing may be left of a mean.
        if (format != Format::f32 && !result.at("squares").value) continue;
        ASSERT_TRUE(by_theorem(result.at("squares"))) << n << name(format) << low;
        ASSERT_TRUE(by_theorem(result.at("average"))) << n << name(format) << low;
        const Program program = calculus::text::parse_program(text, "t.hm");
        for (int run = 0; run < 35; ++run) {
          Point point;
          std::vector<double> x = row(random, n, low, high, run % 7);
          point.inputs["x"] = tensor(format, {n}, x);
          bool inside = true;
          for (long k = 0; k < n; ++k) {
            const Rational held = *element_value(point.inputs.at("x"), k);
            inside = inside && held >= exact_rational(low) && held <= exact_rational(high);
          }
          if (!inside) continue;
          const auto computed = simulate(program, point);
          const auto [mean, sum] = exact(point.inputs.at("x"), n);
          const auto check = [&](const char* output, const Rational& value) {
            const Value& bound = *result.at(output).value;
            const Rational error = abs(*element_value(computed.at(output), 0) - value);
            EXPECT_TRUE(bound.exact.contains(value)) << output << n;
            EXPECT_TRUE(bound.rounded.contains(*element_value(computed.at(output), 0))) << output << n;
            EXPECT_LE(error, bound.absolute.exact_high()) << output << n << name(format) << low;
            EXPECT_LE(error, bound.relative.exact_high() * abs(value) + bound.rest.exact_high())
                << output << n << name(format) << low;
          };
          check("average", mean);
          check("squares", sum);
        }
      }
}

TEST(RunningMeans, AreKnownInTheirOtherForms) {
  Form fused, turned, counted;
  fused.added = "fma(x[k] - OLD, x[k] - NEW, q)";
  turned.added = "(x[k] - NEW) * (x[k] - OLD) + q";
  counted.state = "c = 0@FORMAT -> c + 1@FORMAT, ";
  counted.divisor = "(c + 1@FORMAT)";
  for (const Form& form : {fused, turned, counted}) {
    const ProgramResult result = analysed(welford(300, "f32", form), -1, 1);
    EXPECT_TRUE(by_theorem(result.at("squares"))) << form.added << form.divisor;
    EXPECT_TRUE(by_theorem(result.at("average"))) << form.added << form.divisor;
  }
  // Over the reals: at most n R^2 / 4, and the mean in the range of the elements.
  const ProgramResult real = analysed(welford(300), 1, 3, true);
  EXPECT_EQ(real.at("squares").value->exact.exact_high(), 300);
  EXPECT_EQ(real.at("squares").value->exact.exact_low(), 0);
  EXPECT_EQ(real.at("average").value->exact.exact_high(), 3);
}

TEST(RunningMeans, ThatOnlyLookLikeOneHaveNoSuchBound) {
  const auto form = [](const std::function<void(Form&)>& change) {
    Form out;
    change(out);
    return out;
  };
  for (const Form& wrong :
       {form([](Form& f) { f.divisor = "FORMAT(k + 2)"; }), form([](Form& f) { f.second = "m"; }),
        form([](Form& f) { f.first = "MEAN"; }), form([](Form& f) { f.start = "1"; }),
        form([](Form& f) { f.added = "q + (OLD - x[k]) * (x[k] - NEW)"; }),
        form([](Form& f) { f.added = "q - (x[k] - OLD) * (x[k] - NEW)"; }), form([](Form& f) {
          f.state = "c = 1@FORMAT -> c + 1@FORMAT, ";
          f.divisor = "(c + 1@FORMAT)";
        }),
        form([](Form& f) {
          f.state = "c = 0@FORMAT -> c + 1@FORMAT, ";
          f.divisor = "c";
        })})
    EXPECT_FALSE(by_theorem(analysed(welford(300, "f32", wrong), 1, 2).at("squares")))
        << wrong.added << wrong.divisor;
  // The number of the step is no value of the format any more; beyond the format's end.
  EXPECT_FALSE(by_theorem(analysed(welford(300, "bf16"), 1, 2).at("squares")));
  EXPECT_FALSE(by_theorem(analysed(welford(100, "f16"), -100, 100).at("squares")));
}

TEST(RunningMeans, AreRefutedBelowWhatHappens) {
  const Program given = calculus::text::parse_program(welford(64), "t.hm");
  const Program meant = formulation::erase(given);
  const std::vector<formulation::RoundedConstant> none;
  const auto outcome = [&](const Rational& tolerance) {
    const contract::Contract c = with_tolerance(boxes(given, 0, 1), tolerance);
    return tolerance_outcome({meant, given, none, c}, "squares").state;
  };
  EXPECT_EQ(outcome(Rational(1, 1000)), State::proved);
  EXPECT_EQ(outcome(exact_rational(0x1p-32)), State::refuted);
}

// theorem >= the expression tool >= its witness, at 2, 3 and 4 elements.
TEST(RunningMeans, AreAboveTheExpressionTool) {
  for (int n = 2; n <= 4; ++n)
    for (const auto& [low, high] :
         std::vector<std::pair<std::string, std::string>>{{"-1", "1"}, {"3", "5"}}) {
      std::string names, ranges, m = "0", q = "0";
      for (int k = 0; k < n; ++k) {
        names += fmt::format(" x{}", k);
        ranges += fmt::format(" (<= {} x{} {})", low, k, high);
        const std::string d = fmt::format("(- x{} {})", k, m),
                          next = fmt::format("(+ {} (/ {} {}))", m, d, k + 1);
        q = fmt::format("(+ {} (* {} (- x{} {})))", q, d, k, next);
        m = next;
      }
      ExpressionModel model;
      model.inputs_rounded = false;
      WitnessSearch search;
      search.samples = 3000;
      const ProgramResult theorem = analysed(welford(n), Rational(low), Rational(high));
      for (const auto& [output, body] : {std::pair<std::string, std::string>{"average", m}, {"squares", q}}) {
        const ExpressionReport tool = bound_expression(
            read_fpcores("(FPCore (" + names + ") :precision binary32 :pre (and" + ranges + ") " + body + ")",
                         "t.fpcore")
                .at(0),
            model, {}, search);
        ASSERT_TRUE(tool.proved && tool.witness) << tool.reason;
        const Rational most = theorem.at(output).value->absolute.exact_high();
        // A search that ended before it closed in is no measure; the greatest sum at a point is, from below.
        EXPECT_GE(most, tool.search.exhausted ? exact_rational(tool.search.at_points) : tool.bound)
            << output << n;
        EXPECT_GE(tool.bound, tool.witness->error) << output << n;
        EXPECT_LE(most, 30 * tool.witness->error) << output << n;
      }
    }
}

}  // namespace
}  // namespace hallmark::numerics
