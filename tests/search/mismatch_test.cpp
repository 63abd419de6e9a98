// Why a rule does not match: the reason that is given is the one that stands in the way, and there is one
// exactly where the matcher finds nothing. Equations between tensors of one program, replayed.
#include <gtest/gtest.h>

#include "calculus/text/text.h"
#include "rules/rule_text.h"
#include "search/explain.h"
#include "search/saturate.h"

namespace hallmark::search {
namespace {

using calculus::Program;

Program program(const std::string& body) {
  return calculus::text::parse_program("hallmark 1\nprogram exact\n" + body, "p.hm");
}

rules::Rule rule(const std::string& body) {
  return rules::parse_rules("hallmark 1\nrule r\n" + body, "r.hm").at(0).instances.at(0);
}

const std::string slices =
    "  size N, s, e, t, u\n  require s <= e\n  require e <= N\n  require t <= u\n  require u <= e - s\n"
    "  input x : f32[N]\n  left T : f32[i < e - s] = x[i + s]\n  left Y : f32[i < u - t] = T[i + t]\n"
    "  right Y : f32[i < u - t] = x[i + s + t]\n";

ClassId class_of(const Search& search, const std::string& name) {
  for (const auto& [tensor, id] : search.authored)
    if (tensor == name) return search.graph.find(id);
  throw std::runtime_error("no tensor " + name);
}

std::string why(const rules::Rule& r, const Program& p, const std::string& tensor) {
  const Search search = grow(p, {}, {100, 1, 1});
  const ClassId at = class_of(search, tensor);
  const Mismatch m = mismatch(r, search.graph, at);
  EXPECT_EQ(m.why.empty(), !match_rule(r, search.graph, at).empty()) << m.why;
  return m.why;
}

TEST(Mismatch, SaysWhatStandsInTheWay) {
  const rules::Rule relu = rule(
      "  size N\n  input x : f32[N]\n  left T : f32[i < N] = max(x[i], 0)\n"
      "  left Y : f32[i < N] = max(T[i], 0)\n  right Y : f32[i < N] = max(x[i], 0)\n");
  const Program p = program(
      "input a : f32[8]\ninput b : f32[2, 4]\ndefine t : f32[i < 8] = max(a[i], 0)\n"
      "define y : f32[i < 8] = max(t[i], 0)\ndefine z : f32[i < 8] = exp(t[i])\n"
      "define w : f32[i < 2, j < 4] = max(b[i, j], 0)\n"
      "output y\noutput z\noutput w\n");
  EXPECT_EQ(why(relu, p, "y"), "");
  EXPECT_NE(why(relu, p, "t").find("the input or constant a"), std::string::npos) << why(relu, p, "t");
  EXPECT_NE(why(relu, p, "z").find("max in the rule and exp here"), std::string::npos) << why(relu, p, "z");
  EXPECT_NE(why(relu, p, "w").find("1 axes in the rule and 2 here"), std::string::npos) << why(relu, p, "w");
}

TEST(Mismatch, NamesTheFirstRequirementThatFails) {
  const rules::Rule few = rule(
      "  size N\n  require N <= 4\n  input x : f32[N]\n"
      "  left Y : f32[i < N] = max(x[i], 0)\n  right Y : f32[i < N] = max(0, x[i])\n");
  const Program p = program("input a : f32[8]\ndefine y : f32[i < 8] = max(a[i], 0)\noutput y\n");
  EXPECT_NE(why(few, p, "y").find("requirement 1"), std::string::npos) << why(few, p, "y");
  const rules::Rule many = rule(
      "  size N >= 9\n  input x : f32[N]\n"
      "  left Y : f32[i < N] = max(x[i], 0)\n  right Y : f32[i < N] = max(0, x[i])\n");
  EXPECT_NE(why(many, p, "y").find("the size N is 8 here"), std::string::npos) << why(many, p, "y");
}

TEST(Equalities, AreConnectedByTheStepsThatTheyNeedAndByNoOthers) {
  const Program p = program(
      "input a : f32[8]\ndefine t : f32[i < 8] = max(a[i], 0)\n"
      "define y : f32[i < 8] = max(t[i], 0)\ndefine z : f32[i < 8] = a[i] + a[i]\n"
      "output y\noutput z\n");
  const rules::Rule relu = rule(
      "  size N\n  input x : f32[N]\n  left T : f32[i < N] = max(x[i], 0)\n"
      "  left Y : f32[i < N] = max(T[i], 0)\n  right Y : f32[i < N] = max(x[i], 0)\n");
  const rules::Rule twice = rule(
      "  size N\n  input x : f32[N]\n  left Y : f32[i < N] = x[i] + x[i]\n"
      "  right Y : f32[i < N] = x[i] * 2\n");
  const std::vector<rules::Rule> rules{twice, relu};
  const std::vector<Step> steps = steps_of(grow(p, rules, {100, 3, 10}), rules);
  EXPECT_GE(steps.size(), 2u);
  EXPECT_NE(check_equalities(p, {{"t", "y"}}, {}), "");
  EXPECT_EQ(check_equalities(p, {{"t", "y"}}, steps), "");
  EXPECT_NE(check_equalities(p, {{"t", "z"}}, steps), "");
  EXPECT_NE(check_equalities(p, {{"t", "y"}, {"t", "z"}}, steps), "");
  const std::vector<Step> needed = needed_steps(p, {{"t", "y"}}, steps);
  ASSERT_EQ(needed.size(), 1u);
  EXPECT_EQ(check_equalities(p, {{"t", "y"}}, needed), "");
}

}  // namespace
}  // namespace hallmark::search
