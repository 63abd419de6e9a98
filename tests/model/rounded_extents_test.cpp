// Extents that a model computes in floats or near the ends of 64 bits are what every runtime computes, or
// they are not known; a constant that was rounded to a narrow format stays one.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "model/import.h"

namespace hallmark::model {
namespace {

using namespace calculus;

Model of_text(const std::string& graph) {
  return import_bytes("<ir_version: 8, opset_import: [\"\" : 17]> " + graph, true);
}

// Slice(x, 0, Floor(extent * scale)) of ten elements.
std::string sliced(const std::string& scale) {
  return "g (float[10] x) => (float[M] y) <float c = {" + scale + R"(}, int64[1] zero = {0}> {
    s = Shape(x)
    f = Cast<to = 1>(s)
    m = Mul(f, c)
    r = Floor(m)
    e = Cast<to = 7>(r)
    y = Slice(x, zero, e)
  })";
}

// 10 * 0.7f is 6.99999988, and as a float 7: every runtime gives 7 elements, exact arithmetic would give 6.
TEST(RoundedExtents, AreThoseOfEveryRuntime) {
  for (const auto& [scale, extent] :
       {std::pair("0.5", 5), std::pair("0.75", 7), std::pair("0.45", 4), std::pair("0.7", 7)})
    EXPECT_EQ(of_text(sliced(scale)).program.definitions.back().declaration.extents.at(0), integer(extent))
        << scale;
}

// 49 * (1 / 49) is 1 exactly and in f32, and a little less in f64: a number that is not known without its
// format.
TEST(RoundedExtents, ConstantsAreNotFoldedInAnotherFormat) {
  const Model model = of_text(R"(g (int64[2] x) => (int64[2] y) <float one = {1.0}, float n = {49.0}> {
    d = Div(one, n)
    m = Mul(d, n)
    r = Floor(m)
    e = Cast<to = 7>(r)
    y = Add(x, e)
  })");
  bool found = false;
  for_each_node(model.program.definitions.back().body, [&](Term node) {
    found = found || (node->kind == Kind::constant && node->sort == Sort::integer(Format::i64));
  });
  EXPECT_FALSE(found);
}

std::string enlarged(const std::string& scale) {
  return "g (float[1, 1, 10, 10] x) => (float[A, B, C, D] y) <float[4] scales = {1.0, 1.0, " + scale + ", " +
         scale +
         R"(}, float[0] roi = {}> {
    y = Resize<mode = "linear", coordinate_transformation_mode = "asymmetric">(x, roi, scales)
  })";
}

TEST(RoundedExtents, OfAResizedAxis) {
  EXPECT_EQ(of_text(enlarged("1.5")).program.definitions.back().declaration.extents.at(2), integer(15));
  EXPECT_THROW(of_text(enlarged("1.3")), Refusal);  // 12.9999995, as a float 13
}

TEST(RoundedExtents, ArithmeticThatWrapsIsNotThatOfTheIntegers) {
  const auto graph = [](const std::string& factor) {
    return "g (float[N] x) => (float[M] y) <int64[1] zero = {0}, int64[1] four = {4}, int64[1] big = {" +
           factor +
           R"(}> {
      s = Shape(x)
      a = Mul(s, big)
      e = Mul(a, four)
      y = Slice(x, zero, e)
    })";
  };
  EXPECT_THROW(of_text(graph("4611686018427387904")), Refusal);
  EXPECT_THROW(of_text(graph("72057594037927936")), Refusal);  // 2^58 N: from N = 32 on
  const Model model = of_text(graph("2"));
  EXPECT_EQ(model.program.definitions.back().declaration.extents.at(0), symbol("N"));
  const auto& assumed = model.assumptions;
  EXPECT_NE(std::find(assumed.begin(), assumed.end(), "extents-are-computed-without-overflow"),
            assumed.end());
}

// f32(0.1f * 0.3f) is not the product of the two: a definition of its own, read and not written out.
TEST(RoundedExtents, ARoundedConstantIsReadAndAnExactOneWrittenOut) {
  const auto graph = [](const std::string& a, const std::string& b) {
    return "g (double[3] x) => (double[3] y) <float a = {" + a + "}, float b = {" + b + R"(}> {
      m = Mul(a, b)
      f = Cast<to = 11>(m)
      y = Add(x, f)
    })";
  };
  const auto definitions = [](const Model& model) { return model.program.definitions.size(); };
  EXPECT_EQ(definitions(of_text(graph("0.5", "0.25"))), 1U);
  const Model rounded = of_text(graph("0.1", "0.3"));
  ASSERT_GT(definitions(rounded), 1U);
  EXPECT_EQ(rounded.program.definitions.front().declaration.format, Format::f32);
}

TEST(RoundedExtents, AnOutputIsListedOnce) {
  EXPECT_THROW(of_text("g (float[2] x) => (float[2] y, float[2] y) { y = Relu(x) }"), UserError);
}

}  // namespace
}  // namespace hallmark::model
