// The transcendental and constrained rows of design/fpbench-bounds.tsv, printed as a table: the published
// bound (FPTaylor's binade model where it is filled, else the least of the others), ours, the greatest value
// of our own sum at a point (no partition gives less), and the processor time.
//
// What FPTaylor charges a call is not written down with its bounds: its 1.98e-15 for logexp is what three
// quarters of a unit would give here. So calls of half a unit and of one unit are taken, which stand on
// either side of that. With half a unit the published bound is asked for within 10 % (25 % for hartman6 and
// floudas1); with one unit the bound has to be within 10 % (25 %) of the greater of the published one and of
// what the model gives at a point.
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "base/files.h"
#include "numerics/expression/fpcore.h"
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
  for (const Rational& units : {Rational(1, 2), Rational(1)}) {
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
    EXPECT_LE(bound, row.room * (units == 1 ? std::max(row.published, at_points) : row.published)) << units;
    ASSERT_TRUE(report.witness.has_value());
    EXPECT_GE(report.bound, report.witness->error);
    EXPECT_LE(seconds, row.seconds);
  }
}

INSTANTIATE_TEST_SUITE_P(Transcendental, Rows, ::testing::ValuesIn(rows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hallmark::numerics
