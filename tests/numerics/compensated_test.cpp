// Kahan's sum: its bound above every run, far below that of a plain sum; and sums that only look like it.
#include <cmath>
#include <random>

#include "calculus/text/text.h"
#include "formulation/erase.h"
#include "numerics/adverse_sum.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

std::string kahan(long n, const std::string& y, const std::string& next, const std::string& order = "seq",
                  const std::string& format = "f32") {
  std::string sum = "s + " + y;
  std::string out = next;
  for (const auto& [mark, text] : {std::pair<std::string, std::string>{"T", "(" + sum + ")"}, {"Y", y}})
    for (std::size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at + text.size()))
      out.replace(at, 1, text);
  const std::string size = std::to_string(n);
  return "hallmark 1\nprogram rounded\ninput x : " + format + "[" + size + "]\ndefine t : " + format +
         "[] = fold(k < " + size + "; order " + order + "; s = 0@" + format + " -> " + sum + ", c = 0@" +
         format + " -> " + out + "; s)\noutput t\n";
}
const std::string minus = "(x[k] - c)", plus = "(x[k] + c)";

std::optional<Value> bound(const std::string& text, const Rational& low, const Rational& high,
                           bool exact = false) {
  const Program given = calculus::text::parse_program(text, "t.hm");
  const Program program = exact ? formulation::erase(given) : given;
  const contract::Contract c = boxes(program, low, high);
  return analyse({program, c, nullptr, nullptr, nullptr, nullptr}, exact ? Pass::exact : Pass::composed)
      .at("t")
      .value;
}
double error_bound(const std::string& text, const Rational& low, const Rational& high) {
  const auto v = bound(text, low, high);
  return v ? as_double(v->absolute) : std::numeric_limits<double>::infinity();
}
double error_of(const Program& program, const std::vector<double>& terms, Format format) {
  Point point;
  point.inputs["x"] = tensor(format, {static_cast<long>(terms.size())}, terms);
  Rational exact = 0;
  const TensorData& held = point.inputs.at("x");
  for (long k = 0; k < static_cast<long>(terms.size()); ++k) exact += *element_value(held, k);
  return std::fabs(Rational(*element_value(simulate(program, point).at("t"), 0) - exact).get_d());
}

TEST(CompensatedSums, AreAboveEveryRun) {
  std::mt19937_64 random(7);
  for (const Format format : {Format::f32, Format::f16, Format::bf16})
    for (const long n : {1, 2, 3, 4, 33, 400}) {
      if (format == Format::bf16 && n > 33) continue;
      for (const bool positive : {false, true}) {
        const std::string text = kahan(n, minus, "(T - s) - Y", "seq", std::string(name(format)));
        const double most = error_bound(text, positive ? 0 : -1, 1);
        ASSERT_TRUE(std::isfinite(most)) << n << name(format);
        const Program program = calculus::text::parse_program(text, "t.hm");
        const int p = static_cast<int>(significand_bits(format));
        double worst = 0;
        for (int run = 0; run < 60; ++run) {
          std::vector<double> terms;
          for (long k = 0; k < n; ++k) {
            const double t = std::ldexp(static_cast<double>(random() >> 11), -53);
            const double sizes[] = {t, 1, std::ldexp(1 + t, -p - 1),
                                    std::ldexp(t, -static_cast<int>(random() % 20))};
            const double size =
                sizes[run % 4 == 3 ? random() % 4
                                   : static_cast<std::size_t>(run % 4 == 0 && k > 0 ? 2 : run % 4)];
            terms.push_back(std::min(1.0, size) * (positive || random() % 2 == 0 ? 1 : -1));
          }
          if (run % 5 == 0) terms[0] = 1;
          worst = std::max(worst, error_of(program, terms, format));
        }
        EXPECT_LE(worst, most) << n << " " << name(format);
      }
    }
}

TEST(CompensatedSums, HaveABoundThatHardlyGrowsWithTheirLength) {
  const double u = 0x1p-24;
  for (const long n : {2, 100, 10000}) {
    const double relative = error_bound(kahan(n, minus, "(T - s) - Y"), 0, 1) / static_cast<double>(n);
    EXPECT_GE(relative, u) << n;
    EXPECT_LE(relative, 4.1 * u) << n;
  }
  // A plain sum of 10,000 is off by up to 5,000 units of its last term alone.
  const std::string plain =
      "hallmark 1\nprogram rounded\ninput x : f32[10000]\ndefine t : f32[] = sum(k < 10000; order "
      "seq) x[k]\noutput t\n";
  EXPECT_GT(error_bound(plain, 0, 1), 500 * error_bound(kahan(10000, minus, "(T - s) - Y"), 0, 1));
  // The other sign of the correction.
  EXPECT_LE(error_bound(kahan(1000, plus, "Y - (T - s)"), 0, 1), 4100 * u);
  // Over the reals it is the sum.
  const auto exact = bound(kahan(1000, minus, "(T - s) - Y"), 0, 1, true);
  ASSERT_TRUE(exact.has_value());
  EXPECT_EQ(exact->exact.exact_high(), Rational(1000));
  // So long that the correction is lost, and beyond the format's end.
  EXPECT_FALSE(bound(kahan(60000, minus, "(T - s) - Y", "seq", "bf16"), 0, 1).has_value());
  EXPECT_FALSE(bound(kahan(1000, minus, "(T - s) - Y", "seq", "f16"), 0, 100).has_value());
}

TEST(CompensatedSums, ThatOnlyLookLikeOneHaveNoSuchBound) {
  for (const auto& [y, next] :
       std::vector<std::pair<std::string, std::string>>{{plus, "(T - s) - Y"},
                                                        {minus, "Y - (T - s)"},
                                                        {minus, "(T - Y) - s"},
                                                        {minus, "(s - T) - Y"},
                                                        {minus, "(T - s) - x[k]"},
                                                        {minus, "(T - c) - Y"},
                                                        {"(c - x[k])", "(T - s) - Y"}})
    EXPECT_FALSE(bound(kahan(1000, y, next), 0, 1).has_value()) << y << next;
}

}  // namespace
}  // namespace hallmark::numerics
