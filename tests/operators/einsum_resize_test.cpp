// Einsum, CumSum, Resize and the quantised operators against loops.
#include <algorithm>

#include "harness.h"

namespace hallmark::operators {
namespace {

using I = std::int64_t;
using Ints = std::vector<I>;

TEST(Einsum, ProductsTracesAndEllipses) {
  const auto equation = [](const char* text) {
    return std::map<std::string, Attribute>{{"equation", std::string(text)}};
  };
  const Array a = random_array({2, 3, 4}, 1), b = random_array({2, 4, 5}, 2),
              square = random_array({3, 3}, 3);
  expect_close(run({"Einsum", {a, b}, equation("bij, bjk -> bik")})[0], filled({2, 3, 5}, [&](const Ints& o) {
                 double total = 0;
                 for (I k = 0; k < 4; ++k) total += a.at({o[0], o[1], k}) * b.at({o[0], k, o[2]});
                 return total;
               }));
  expect_close(run({"Einsum", {square}, equation("ii")})[0], filled({}, [&](const Ints&) {
                 return square.at({0, 0}) + square.at({1, 1}) + square.at({2, 2});
               }));
  expect_close(run({"Einsum", {square}, equation("ba")})[0], filled({3, 3}, [&](const Ints& o) {
                 return square.at({o[1], o[0]});
               }));
  expect_close(run({"Einsum", {a}, equation("...j->j...")})[0], filled({4, 2, 3}, [&](const Ints& o) {
                 return a.at({o[1], o[2], o[0]});
               }));
  EXPECT_THROW(run({"Einsum", {a}, equation("ij")}), UserError);
  EXPECT_THROW(run({"Einsum", {a, b}, equation("bij,bij->b")}), UserError);
  EXPECT_THROW(run({"Einsum", {square}, equation("ij->k")}), UserError);
}

TEST(CumSum, InclusiveExclusiveAndReversed) {
  const Array x = random_array({3, 4}, 4);
  for (const I exclusive : {0, 1})
    for (const I reverse : {0, 1})
      expect_close(run({"CumSum",
                        {x, array_of({}, {1}, Format::i64)},
                        {{"exclusive", exclusive}, {"reverse", reverse}},
                        17,
                        1,
                        {1}})[0],
                   filled({3, 4}, [&](const Ints& o) {
                     double total = 0;
                     for (I k = 0; k < 4; ++k) {
                       const I distance = reverse != 0 ? k - o[1] : o[1] - k;
                       if (distance >= exclusive) total += x.at({o[0], k});
                     }
                     return total;
                   }));
}

// The coordinate of output o on an axis of n elements brought to m.
double coordinate(const std::string& mode, I o, I n, I m) {
  const double scale = static_cast<double>(m) / static_cast<double>(n), at = static_cast<double>(o);
  if (mode == "asymmetric") return at / scale;
  if (mode == "align_corners")
    return m == 1 ? 0 : at * static_cast<double>(n - 1) / static_cast<double>(m - 1);
  return (at + 0.5) / scale - 0.5;
}

// 0.6 in f32 is above 3/5, so that an exact coordinate is just below 2, and 2 when it is computed in f32.
TEST(Resize, AnElementThatTheRoundingOfItsCoordinateDecidesIsRefused) {
  const Array x = random_array({1, 1, 1, 5}, 5);
  const auto call = [&](float scale, const char* rounding) {
    return run({"Resize",
                {x, x, array_of({4}, {1, 1, 1, scale})},
                {{"mode", std::string("nearest")},
                 {"coordinate_transformation_mode", std::string("half_pixel")},
                 {"nearest_mode", std::string(rounding)}},
                13,
                1,
                {2},
                {1}});
  };
  EXPECT_THROW(call(0.6F, "floor"), Refusal);
  EXPECT_NO_THROW(call(0.6F, "round_prefer_floor"));
  EXPECT_NO_THROW(call(0.5F, "floor"));
}

TEST(Resize, NearestAndLinearInEveryCoordinateMode) {
  const Array x = random_array({1, 1, 4, 5}, 5);
  const I n[2] = {4, 5};
  for (const char* mode : {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"})
    for (const Ints& size : {Ints{8, 10}, Ints{2, 3}, Ints{7, 4}}) {
      const Array sizes = integers({1, 1, size[0], size[1]});
      const auto call = [&](const char* kind, const char* rounding) {
        return run({"Resize",
                    {x, x, x, sizes},
                    {{"mode", std::string(kind)},
                     {"coordinate_transformation_mode", std::string(mode)},
                     {"nearest_mode", std::string(rounding)}},
                    13,
                    1,
                    {3},
                    {1, 2}})[0];
      };
      const auto at = [&](I row, I column) {
        return x.at({0, 0, std::clamp<I>(row, 0, 3), std::clamp<I>(column, 0, 4)});
      };
      expect_close(call("linear", "floor"), filled({1, 1, size[0], size[1]}, [&](const Ints& o) {
                     double whole[2], part[2];
                     for (std::size_t d = 0; d < 2; ++d) {
                       const double c = coordinate(mode, o[d + 2], n[d], size[d]);
                       whole[d] = std::floor(c);
                       part[d] = c - whole[d];
                     }
                     const I r = static_cast<I>(whole[0]), c = static_cast<I>(whole[1]);
                     return (1 - part[0]) * ((1 - part[1]) * at(r, c) + part[1] * at(r, c + 1)) +
                            part[0] * ((1 - part[1]) * at(r + 1, c) + part[1] * at(r + 1, c + 1));
                   }));
      for (const std::string rounding : {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"})
        expect_close(call("nearest", rounding.c_str()), filled({1, 1, size[0], size[1]}, [&](const Ints& o) {
                       I index[2];
                       for (std::size_t d = 0; d < 2; ++d) {
                         // Coordinates here are multiples of 1/n/m: rounding noise is far smaller.
                         const double c = coordinate(mode, o[d + 2], n[d], size[d]), tiny = 1e-9;
                         index[d] =
                             static_cast<I>(rounding == "floor"               ? std::floor(c + tiny)
                                            : rounding == "ceil"              ? std::ceil(c - tiny)
                                            : rounding == "round_prefer_ceil" ? std::floor(c + 0.5 + tiny)
                                                                              : std::ceil(c - 0.5 - tiny));
                       }
                       return at(index[0], index[1]);
                     }));
    }
}

TEST(Resize, UpsampleBeforeOpset11RepeatsWholeFactorsOnly) {
  const Array x = random_array({1, 2, 3, 2}, 6);
  const Array expected = filled({1, 2, 6, 6}, [&](const Ints& o) {
    return x.at({0, o[1], o[2] / 2, o[3] / 3});
  });
  expect_close(run({"Upsample", {x, array_of({4}, {1, 1, 2, 3})}, {}, 9, 1, {1}})[0], expected);
  expect_close(run({"Upsample", {x}, {{"scales", std::vector<float>{1, 1, 2, 3}}}, 7})[0], expected);
  EXPECT_THROW(run({"Upsample", {x, array_of({4}, {1, 1, 1.5, 1})}, {}, 9, 1, {1}}), Refusal);
  EXPECT_THROW(
      run({"Upsample", {x, array_of({4}, {1, 1, 2, 2})}, {{"mode", std::string("linear")}}, 9, 1, {1}}),
      Refusal);
}

TEST(Quantize, RoundsToEvenAndSaturates) {
  const Array x = array_of({6}, {0.5, 1.5, -0.5, 2.5, 300, -300}), scale = array_of({}, {0.5});
  const Array zero = array_of({}, {128}, Format::u8);
  expect_close(run({"QuantizeLinear", {x, scale, zero}, {}})[0],
               array_of({6}, {129, 131, 127, 133, 255, 0}, Format::u8));
  const Array halves = array_of({4}, {0.25, 0.75, -0.25, 1.25});  // 0.5, 1.5, -0.5 and 2.5 steps
  expect_close(run({"QuantizeLinear", {halves, scale}, {}})[0], array_of({4}, {0, 2, 0, 2}, Format::u8));
  const Array q = array_of({2, 3}, {1, 2, 3, 4, 5, 255}, Format::u8), scales = array_of({2}, {0.5, 2});
  const Array zeros = array_of({2}, {1, 5}, Format::u8);
  expect_close(run({"DequantizeLinear", {q, scales, zeros}, {{"axis", I{0}}}})[0],
               array_of({2, 3}, {0, 0.5, 1, -2, 0, 500}));
}

TEST(Quantize, IntegerProductsSubtractZeroPointsFirst) {
  const Array a = array_of({2, 3}, {1, 2, 3, 250, 5, 6}, Format::u8),
              b = array_of({3, 2}, {1, -2, 3, 4, -128, 6}, Format::i8);
  const Array a_zero = array_of({}, {12}, Format::u8), b_zero = array_of({2}, {0, 3}, Format::i8);
  expect_close(run({"MatMulInteger", {a, b, a_zero, b_zero}, {}})[0],
               filled(
                   {2, 2},
                   [&](const Ints& o) {
                     double total = 0;
                     for (I k = 0; k < 3; ++k)
                       total += (a.at({o[0], k}) - 12) * (b.at({k, o[1]}) - b_zero.at({o[1]}));
                     return total;
                   },
                   Format::i32));
}

// Four input channels in two groups, three output channels a group, a zero point per output channel, padding.
TEST(Quantize, IntegerConvolutionsOfGroupsSeeTheirOwnChannels) {
  const auto mixed = [](I a, I b, I c, I d) { return static_cast<double>((7 * a + 5 * b + 3 * c + d) % 11); };
  const Array x = filled(
      {2, 4, 3, 2}, [&](const Ints& i) { return mixed(i[0], i[1], i[2], i[3]); }, Format::u8);
  const Array w = filled(
      {6, 2, 2, 2}, [&](const Ints& i) { return mixed(i[3], i[0], i[1], i[2]) - 5; }, Format::i8);
  const Array x_zero = array_of({}, {4}, Format::u8), w_zero = array_of({6}, {0, 1, -2, 3, 4, 5}, Format::i8);
  expect_close(run({"ConvInteger", {x, w, x_zero, w_zero}, {{"group", I{2}}, {"pads", Ints{1, 0, 0, 1}}}})[0],
               filled(
                   {2, 6, 3, 2},
                   [&](const Ints& o) {
                     double total = 0;
                     for (I c = 0; c < 2; ++c)
                       for (I i = 0; i < 2; ++i)
                         for (I j = 0; j < 2; ++j) {
                           const I row = o[2] - 1 + i, column = o[3] + j;
                           if (row < 0 || row >= 3 || column >= 2) continue;
                           total += (x.at({o[0], o[1] / 3 * 2 + c, row, column}) - 4) *
                                    (w.at({o[1], c, i, j}) - w_zero.at({o[1]}));
                         }
                     return total;
                   },
                   Format::i32));
  EXPECT_THROW(run({"ConvInteger", {x, w}, {{"group", I{3}}}}), UserError);
  EXPECT_THROW(run({"ConvInteger", {x, w}, {{"group", I{0}}}}), UserError);
}

}  // namespace
}  // namespace hallmark::operators
