// Gappa beside our bounds, on the rows that it can express: sums, products, quotients and roots of one
// format. Both are proved, so neither may be below the error of an executed input, and ours is asked not to
// be the looser one.
#include <gtest/gtest.h>

#include <cmath>

#include "base/files.h"
#include "base/process.h"
#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"

namespace hallmark::numerics {
namespace {

// The expression as a script: v0, v1, ... rounded, r0, r1, ... over the reals. Empty where it has an
// operation that Gappa has not.
std::string script(const Expression& e) {
  std::string out = "@rnd = float<ieee_64, ne>;\n", box;
  const auto symbol = [](Operation op) -> std::string {
    switch (op) {
      case Operation::add:
        return " + ";
      case Operation::sub:
        return " - ";
      case Operation::mul:
        return " * ";
      case Operation::div:
        return " / ";
      default:
        return "";
    }
  };
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    const ExpressionNode& n = e.nodes[i];
    const std::string v = "v" + std::to_string(i), r = "r" + std::to_string(i);
    const auto child = [&](const char* prefix, std::size_t k) {
      return prefix + std::to_string(n.children[k]);
    };
    if (n.rounding && *n.rounding != calculus::Format::f64) return {};
    switch (n.operation) {
      case Operation::variable: {
        const ExpressionInput& input = e.inputs[static_cast<std::size_t>(n.variable)];
        out += v + " = rnd(" + r + ");\n";
        // Decimals outward: a bound for more inputs is one for ours.
        box += (box.empty() ? "" : " /\\ ") + r + " in [" + lower_text(Interval(input.low), 20) + "," +
               upper_text(Interval(input.high), 20) + "]";
        break;
      }
      case Operation::constant: {
        if (!n.constant.empty()) return {};
        const std::string value =
            n.value.get_num().get_str() + (n.value.get_den() == 1 ? "" : " / " + n.value.get_den().get_str());
        out += r + " = " + value + ";\n" + v + " = rnd(" + value + ");\n";
        break;
      }
      case Operation::neg:
        out += r + " = -" + child("r", 0) + ";\n" + v + " = -" + child("v", 0) + ";\n";
        break;
      case Operation::sqrt:
        out += r + " = sqrt(" + child("r", 0) + ");\n" + v + " = rnd(sqrt(" + child("v", 0) + "));\n";
        break;
      default: {
        const std::string op = symbol(n.operation);
        if (op.empty()) return {};
        out += r + " = " + child("r", 0) + op + child("r", 1) + ";\n";
        out += v + " = rnd(" + child("v", 0) + op + child("v", 1) + ");\n";
      }
    }
  }
  const std::string root = std::to_string(e.root);
  return out + "{ " + box + " -> |v" + root + " - r" + root + "| in ? }\n";
}

// The upper end of "|v9 - r9| in [0, 1b-40 {9.09e-13, 2^(-40)}]": the decimal approximation in braces, or the
// number itself.
std::optional<double> upper_end(const std::string& answer) {
  const std::size_t at = answer.find(" in [");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t comma = answer.find(
      ',', answer.find('}', at) < answer.find(']', at) && answer.find('{', at) < answer.find(',', at)
               ? answer.find('}', at)
               : at);
  if (comma == std::string::npos) return std::nullopt;
  const std::size_t brace = answer.find('{', comma);
  return std::strtod(answer.c_str() + (brace != std::string::npos ? brace + 1 : comma + 1), nullptr);
}

class Gappa : public ::testing::TestWithParam<const char*> {};

TEST_P(Gappa, IsNoTighter) {
  const std::string path =
      std::string(HALLMARK_SOURCE_DIR) + "/corpus/accuracy/expressions/" + GetParam() + ".fpcore";
  const Expression e = read_fpcores(read_file(path), path).at(0);
  const std::string text = script(e);
  ASSERT_FALSE(text.empty());
  const ExpressionReport ours = bound_expression(e, {});
  ASSERT_TRUE(ours.proved && ours.witness);
  const auto gappa = find_tool("gappa");
  if (!gappa) GTEST_SKIP() << "gappa is not installed (Debian package gappa): nothing is compared";
  ProcessLimits limits;
  limits.wall = std::chrono::seconds(20);
  const ProcessResult result = run_process({*gappa}, text, limits);
  const std::optional<double> theirs = upper_end(result.out + result.err);
  ASSERT_TRUE(theirs.has_value()) << "gappa answered: " << result.out << result.err << "\nto:\n" << text;
  std::printf("%-14s gappa %.4e  ours %.4e  witness %.4e\n", GetParam(), *theirs, ours.bound.get_d(),
              ours.witness->error.get_d());
  // Its decimals are rounded to nearest.
  EXPECT_GE(*theirs * 1.001, ours.witness->error.get_d());
  EXPECT_LE(ours.bound.get_d(), *theirs * 1.01);
}

INSTANTIATE_TEST_SUITE_P(Algebraic, Gappa,
                         ::testing::Values("doppler1", "doppler2", "doppler3", "rigidBody1", "rigidBody2",
                                           "verhulst", "predatorPrey", "carbonGas", "turbine1", "turbine2",
                                           "turbine3", "jet", "himmilbeau", "kepler0", "kepler1", "kepler2",
                                           "sine", "sineOrder3", "sqroot", "t_div_t1"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace hallmark::numerics
