// Candidates on three planes, and which of them are admitted.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "base/json.h"
#include "cases.h"
#include "pipeline/planes.h"

namespace hallmark {
namespace {

const pipeline::Say quiet = [](const std::string&) {};

json::value selection_of(const std::string& model, const std::string& contract) {
  const TemporaryFolder top;
  write_file(top.path() + "/m.onnxtxt", model);
  std::optional<std::string> contract_path;
  if (!contract.empty()) {
    contract_path = top.path() + "/c.toml";
    write_file(*contract_path, contract);
  }
  pipeline::ContextRequest context;
  context.corpus = testing::corpus();
  const std::string folder = top.path() + "/out";
  pipeline::import_stage(folder, top.path() + "/m.onnxtxt", contract_path, quiet);
  pipeline::search_stage(folder, context, {}, quiet);
  pipeline::select_stage(folder, context, quiet);
  return parse_json(read_file(folder + "/3-selection/selection.json"), "selection.json");
}

std::string text(const json::value& row, const char* key) {
  return std::string(row.at(key).as_string());
}

// Candidates of a route that were looked at.
std::vector<json::value> examined(const json::value& record, const std::string& route) {
  std::vector<json::value> out;
  for (const json::value& row : record.at("candidates").as_array())
    if (text(row, "route") == route && text(row, "numerics") == "examined") out.push_back(row);
  return out;
}

std::string layer_norm(const std::string& epsilon) {
  return "<ir_version: 8, opset_import: [\"\" : 17]>\n"
         "norm (float[64, 256] x, float[256] scale, float[256] bias) => (float[64, 256] y)\n"
         "{ y = LayerNormalization <axis = -1, epsilon = " +
         epsilon + "> (x, scale, bias) }\n";
}

constexpr const char* one_pass = "formulation/one-pass-variance-of-rows";

// Far from 0 the squares of a one-pass variance cancel: the contract is kept by the two passes and not by the
// one.
TEST(Candidates, AOnePassVarianceIsRefusedWhereItsBoundFails) {
  const json::value record = selection_of(layer_norm("1e-3"),
                                          "version = 1\n[tolerance]\nabsolute = 1e-2\nrelative = 1e-2\n"
                                          "[inputs.x]\nlow = 99\nhigh = 101\n");
  const std::vector<json::value> rows = examined(record, one_pass);
  ASSERT_FALSE(rows.empty());
  for (const json::value& row : rows) EXPECT_NE(text(row, "rejected"), "") << text(row, "name");
  EXPECT_EQ(text(record, "elected").find(one_pass), std::string::npos);
}

// The twin: near 0 and with an epsilon that bounds the deviation from below, both keep it.
TEST(Candidates, AOnePassVarianceIsAdmittedWhereItsBoundHolds) {
  const json::value record = selection_of(layer_norm("1.0"),
                                          "version = 1\n[tolerance]\nabsolute = 1e-2\nrelative = 1e-2\n"
                                          "[inputs.x]\nlow = -0.5\nhigh = 0.5\n");
  const std::vector<json::value> rows = examined(record, one_pass);
  ASSERT_FALSE(rows.empty());
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const json::value& row) {
    return text(row, "rejected").empty();
  })) << text(rows[0], "rejected");
}

// A softmax in one pass, its sum rescaled as the maximum grows, has a bound of its own and is priced beside
// the others.
TEST(Candidates, AnOnlineSoftmaxIsAdmittedAndPriced) {
  const json::value record = selection_of(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "softmax (float[64, 256] x) => (float[64, 256] y) { y = Softmax <axis = -1> (x) }\n",
      "");
  const std::vector<json::value> rows = examined(record, "formulation/softmax-online");
  ASSERT_FALSE(rows.empty());
  EXPECT_TRUE(std::any_of(rows.begin(), rows.end(), [](const json::value& row) {
    return text(row, "rejected").empty();
  })) << text(rows[0], "rejected");
  for (const json::value& row : rows) EXPECT_GT(std::stod(text(row, "modelled_seconds")), 0);
}

TEST(Candidates, TheCheapestOnEachPlaneIsRecorded) {
  const json::value record = selection_of(layer_norm("1.0"), "");
  const json::array& planes = record.at("planes").as_array();
  ASSERT_EQ(planes.size(), 3U);
  const double reference = std::stod(text(record.at("candidates").as_array()[0], "modelled_seconds"));
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_EQ(text(planes[p], "plane"), name(pipeline::all_planes[p]));
    EXPECT_LE(std::stod(text(planes[p], "modelled_seconds")), reference);
  }
  // Each moves on its plane alone.
  EXPECT_NE(text(planes[0], "cheapest").find("separate, sums in sequence, no fma"), std::string::npos);
  EXPECT_NE(text(planes[1], "cheapest").find("; separate"), std::string::npos);
  EXPECT_NE(text(planes[2], "cheapest").find("authored; "), std::string::npos);
  EXPECT_NE(text(planes[2], "cheapest").find("sums in sequence, no fma"), std::string::npos);
  EXPECT_LE(std::stod(text(record, "elected_seconds")), std::stod(text(planes[2], "modelled_seconds")));
}

// Weights that are constants: the normalisation behind the convolution folds into them once, at load.
TEST(Candidates, WhatIsPreparedCostsNothingOnACall) {
  const json::value record = selection_of(
      "<ir_version: 8, opset_import: [\"\" : 13]>\n"
      "folded (float[1, 2, 16, 16] x) => (float[1, 4, 16, 16] y)\n"
      "<float[4, 2, 1, 1] w = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0}, float[4] s = {1.0, 2.0, 3.0, 4.0},\n"
      " float[4] b = {0.5, 0.25, 0.5, 1.0}, float[4] m = {0.0, 1.0, 2.0, 3.0},\n"
      " float[4] v = {1.0, 2.0, 3.0, 4.0}>\n"
      "{ c = Conv (x, w)\n n = BatchNormalization (c, s, b, m, v)\n y = Relu (n) }\n",
      "");
  EXPECT_GT(std::stod(text(record, "prepare_seconds")), 0) << text(record, "elected");
  EXPECT_LT(std::stod(text(record, "elected_seconds")),
            std::stod(text(record, "one_kernel_a_definition_seconds")));
  for (const json::value& row : record.at("candidates").as_array()) {
    if (text(row, "name") != text(record, "elected")) continue;
    EXPECT_NE(text(row, "route"), "authored");
    EXPECT_GT(row.at("prepare").at("launches").to_number<int>(), 0);
  }
}

TEST(Planes, AreToldApart) {
  pipeline::Route authored{"authored", {}, {}}, algebra = authored, formulation = authored;
  algebra.steps.resize(1);
  algebra.steps[0].rule = "matmul/associate-left@1";
  formulation.steps.resize(1);
  formulation.steps[0].rule = "formulation/softmax-by-reciprocal@1";
  const auto on = [](const pipeline::Route& route, const pipeline::Variant& variant) {
    pipeline::Candidate c;
    c.route = &route;
    c.variant = variant;
    std::string out;
    for (const pipeline::Plane plane : pipeline::all_planes) out += moves_only_on(plane, c) ? '1' : '0';
    return out;
  };
  pipeline::Variant fused = pipeline::reference_variant, rows = pipeline::reference_variant;
  fused.fused = true;
  rows.rows = true;
  EXPECT_EQ(on(authored, pipeline::reference_variant), "111");
  EXPECT_EQ(on(authored, fused), "001");
  EXPECT_EQ(on(authored, rows), "010");
  EXPECT_EQ(on(algebra, pipeline::reference_variant), "100");
  EXPECT_EQ(on(algebra, fused), "000");
  EXPECT_EQ(on(formulation, rows), "010");
  rows.fused = true;
  EXPECT_EQ(on(authored, rows), "000");
}

}  // namespace
}  // namespace hallmark
