// The transcendental and constrained rows of design/fpbench-bounds.tsv, printed as a table: the published
// bound (FPTaylor's binade model where it is filled, else the least of the others), ours, the greatest value
// of our own sum at a point (no partition gives less), and the processor time.
//
// FPTaylor's inputs (benchmarks/real2float, logexp.txt and its kin) write `rnd[64, ne, 1.5](exp(x))`: one and
// a half times half a unit. So calls of three quarters of a unit are the same model as the published bounds;
// calls of half a unit and of one unit stand on either side. Each is asked for within 10 % (25 % for hartman6
// and floudas1) of what is published, but for logexp with one unit: there an implementation within one unit
// errs by more, so that no sound bound can be that low.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "base/files.h"
#include "contract/format_values.h"
#include "numerics/expression/execution.h"
#include "numerics/expression/fpcore.h"
#include "numerics/expression/library_function.h"
#include "numerics/expression/report.h"

namespace hallmark::numerics {
namespace {

struct Row {
  const char* name;
  double published;
  double room;     // the bound may be this much above
  double seconds;  // of the processor
};
const Row rows[] = {{"logexp", 1.98e-15, 1.1, 5},     {"sphere", 8.08e-15, 1.1, 5},
                    {"azimuth", 9.65e-14, 1.1, 5},    {"hartman3", 1.22e-14, 1.1, 5},
                    {"hartman6", 4.95e-15, 1.25, 30}, {"floudas1", 4.44e-13, 1.25, 30},
                    {"floudas2", 8.88e-16, 1.1, 5},   {"floudas3", 1.04e-14, 1.1, 5}};

class Rows : public ::testing::TestWithParam<Row> {};

TEST_P(Rows, AreNearThePublishedBounds) {
  const Row& row = GetParam();
  const std::string path =
      std::string(HALLMARK_SOURCE_DIR) + "/corpus/accuracy/expressions/" + row.name + ".fpcore";
  const Expression e = read_fpcores(read_file(path), path).at(0);
  bool calls = false;
  for (const ExpressionNode& node : e.nodes) calls = calls || is_call(node.operation);
  for (const Rational& units : {Rational(1, 2), Rational(3, 4), Rational(1)}) {
    if (!calls && units != 1) continue;
    ExpressionModel model;
    model.call_ulps = units;
    BoundOptions options;
    options.extend = true;
    WitnessSearch search;
    search.samples = 2000;
    const std::clock_t start = std::clock();
    const ExpressionReport report = bound_expression(e, model, options, search);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    ASSERT_TRUE(report.proved) << report.reason;
    const double bound = report.bound.get_d(), at_points = report.search.at_points;
    std::printf(
        "%-9s calls within %-3s published %.3e  bound %.3e  at points %.3e  witness %.3e  %zu boxes  %.1f "
        "s\n",
        row.name, units.get_str().c_str(), row.published, bound, at_points,
        report.witness ? report.witness->error.get_d() : 0, report.check.leaves, seconds);
    const bool out_of_reach = std::string(row.name) == "logexp" && units == 1;
    EXPECT_LE(bound, out_of_reach ? 1.005 * at_points : row.room * row.published) << units;
    ASSERT_TRUE(report.witness.has_value());
    EXPECT_GE(report.bound, report.witness->error);
    EXPECT_LE(seconds, row.seconds);
  }
}

// log(1 + exp(x)) just below 8: each function is taken to be off by almost one unit, upwards.
TEST(OneUnit, AnImplementationWithinOneUnitErrsByMoreThanThePublishedBoundOfLogexp) {
  const auto upwards = [](Operation operation, double x) {
    const MaybeInterval exact = library_function(operation, Interval(exact_rational(x), 256));
    const std::optional<double> out =
        rounded_result(exact.value(), calculus::Format::f64, calculus::Rounding::up);
    // Less than one unit above the exact value.
    const Rational unit = contract::spacing_at(exact->exact_low(), calculus::Format::f64);
    EXPECT_LE(exact_rational(out.value()) - exact->exact_low(), unit);
    return *out;
  };
  const std::string path = std::string(HALLMARK_SOURCE_DIR) + "/corpus/accuracy/expressions/logexp.fpcore";
  const Expression e = read_fpcores(read_file(path), path).at(0);
  Rational greatest;
  for (int k = 1; k <= 2000; ++k) {
    const double rounded = 8 - k * 0x1p-50;
    const Rational real = exact_rational(rounded) - exact_rational(0x1p-51) * Rational(1023, 1024);
    ASSERT_EQ(nearest_in(calculus::Format::f64, real), rounded);
    const double computed = upwards(Operation::log, 1 + upwards(Operation::exp, rounded));
    const Interval exact = exact_value_at(e, {real}).value();
    greatest = std::max(greatest, Rational(exact_rational(computed) - exact.exact_high()));
  }
  std::printf("logexp: an implementation within one unit is off by %.4e\n", greatest.get_d());
  EXPECT_GT(greatest.get_d(), 1.1 * 1.98e-15);
}

INSTANTIATE_TEST_SUITE_P(Transcendental, Rows, ::testing::ValuesIn(rows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hallmark::numerics
