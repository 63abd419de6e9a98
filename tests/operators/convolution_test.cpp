// Conv, ConvTranspose and the pools against loops that know nothing of folds and guards.
#include "harness.h"

namespace hallmark::operators {
namespace {

using I = std::int64_t;
using Ints = std::vector<I>;

struct Geometry {
  Ints kernel, strides, dilations, pads;
  I groups = 1;
};

// Scatters every input element of a padded window into its outputs: x is [N, C, H, W], w is [M, C / g, KH,
// KW].
Array naive_conv(const Array& x, const Array& w, const Array& b, const Geometry& g, I height, I width) {
  const I channels = w.extents[1], outputs = w.extents[0];
  return filled({x.extents[0], outputs, height, width}, [&](const Ints& o) {
    double total = b.values[static_cast<std::size_t>(o[1])];
    const I group = o[1] / (outputs / g.groups);
    for (I c = 0; c < channels; ++c)
      for (I i = 0; i < g.kernel[0]; ++i)
        for (I j = 0; j < g.kernel[1]; ++j) {
          const I row = o[2] * g.strides[0] + i * g.dilations[0] - g.pads[0];
          const I column = o[3] * g.strides[1] + j * g.dilations[1] - g.pads[1];
          if (row < 0 || column < 0 || row >= x.extents[2] || column >= x.extents[3]) continue;
          total += x.at({o[0], group * channels + c, row, column}) * w.at({o[1], c, i, j});
        }
    return total;
  });
}

std::map<std::string, Attribute> attributes_of(const Geometry& g) {
  return {{"kernel_shape", g.kernel}, {"strides", g.strides}, {"dilations", g.dilations}, {"pads", g.pads}};
}

TEST(Conv, PlainStridedDilatedPaddedAndGrouped) {
  const std::vector<Geometry> cases{{{3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}, 1},
                                    {{3, 2}, {2, 1}, {1, 1}, {1, 0, 2, 1}, 1},
                                    {{2, 3}, {1, 2}, {3, 2}, {2, 1, 0, 3}, 1},
                                    {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, 2},
                                    {{3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, 4}};
  for (const Geometry& g : cases) {
    const Array x = random_array({2, 4, 8, 9}, 1),
                w = random_array({8, 4 / g.groups, g.kernel[0], g.kernel[1]}, 2);
    const Array b = random_array({8}, 3);
    Ints size(2);
    for (std::size_t d = 0; d < 2; ++d)
      size[d] = (x.extents[d + 2] + g.pads[d] + g.pads[d + 2] - (g.kernel[d] - 1) * g.dilations[d] - 1) /
                    g.strides[d] +
                1;
    auto attributes = attributes_of(g);
    attributes["group"] = g.groups;
    expect_close(run({"Conv", {x, w, b}, attributes})[0], naive_conv(x, w, b, g, size[0], size[1]));
  }
}

TEST(Conv, SamePaddingPutsTheOddElementWhereTheModeSays) {
  const Array x = random_array({1, 1, 5, 5}, 4), w = random_array({1, 1, 2, 2}, 5), b = zeros({1});
  const Geometry upper{{2, 2}, {1, 1}, {1, 1}, {0, 0, 1, 1}, 1},
      lower{{2, 2}, {1, 1}, {1, 1}, {1, 1, 0, 0}, 1};
  expect_close(run({"Conv", {x, w, b}, {{"auto_pad", std::string("SAME_UPPER")}}})[0],
               naive_conv(x, w, b, upper, 5, 5));
  expect_close(run({"Conv", {x, w, b}, {{"auto_pad", std::string("SAME_LOWER")}}})[0],
               naive_conv(x, w, b, lower, 5, 5));
}

TEST(Conv, OneAndThreeSpatialAxes) {
  const Array x = random_array({1, 2, 7}, 6), w = random_array({3, 2, 3}, 7);
  expect_close(run({"Conv", {x, w}, {{"pads", Ints{1, 1}}}})[0], filled({1, 3, 7}, [&](const Ints& o) {
                 double total = 0;
                 for (I c = 0; c < 2; ++c)
                   for (I k = 0; k < 3; ++k)
                     if (const I at = o[2] + k - 1; at >= 0 && at < 7)
                       total += x.at({0, c, at}) * w.at({o[1], c, k});
                 return total;
               }));
  const Array x3 = random_array({1, 1, 3, 4, 3}, 8), w3 = random_array({1, 1, 2, 2, 2}, 9);
  expect_close(
      run({"Conv", {x3, w3}, {}})[0], filled({1, 1, 2, 3, 2}, [&](const Ints& o) {
        double total = 0;
        for_each_index({2, 2, 2}, [&](const Ints& k) {
          total += x3.at({0, 0, o[2] + k[0], o[3] + k[1], o[4] + k[2]}) * w3.at({0, 0, k[0], k[1], k[2]});
        });
        return total;
      }));
}

TEST(Conv, ShapesThatDoNotFitAreInvalid) {
  const Array x = random_array({1, 4, 5, 5}, 1);
  EXPECT_THROW(run({"Conv", {x, random_array({2, 3, 3, 3}, 2)}, {}}), UserError);
  EXPECT_THROW(run({"Conv", {x, random_array({2, 4, 7, 3}, 2)}, {}}), UserError);
  EXPECT_THROW(run({"Conv", {x, random_array({3, 2, 3, 3}, 2)}, {{"group", I{2}}}}), UserError);
  EXPECT_THROW(run({"Conv", {x, random_array({2, 4, 3, 3}, 2)}, {{"strides", Ints{0, 1}}}}), UserError);
  EXPECT_THROW(run({"Conv", {x, random_array({2, 4, 3, 3}, 2)}, {{"strides", Ints{1}}}}), UserError);
  EXPECT_THROW(run({"Conv", {x, random_array({2, 4, 3, 3}, 2)}, {{"kernel_shape", Ints{2, 3}}}}), UserError);
}

// Every input element is added, times the kernel, into the places it reaches: the definition of a transpose.
TEST(ConvTranspose, IsTheScatteredProduct) {
  struct Case {
    Geometry g;
    Ints extra;
  };
  const std::vector<Case> cases{{{{3, 3}, {1, 1}, {1, 1}, {0, 0, 0, 0}, 1}, {0, 0}},
                                {{{3, 2}, {2, 3}, {1, 1}, {1, 0, 1, 1}, 1}, {1, 2}},
                                {{{2, 3}, {2, 2}, {2, 1}, {0, 1, 1, 0}, 2}, {0, 1}}};
  for (const Case& c : cases) {
    const Geometry& g = c.g;
    const Array x = random_array({2, 4, 4, 3}, 11), w = random_array({4, 3, g.kernel[0], g.kernel[1]}, 12);
    Ints size(2);
    for (std::size_t d = 0; d < 2; ++d)
      size[d] = g.strides[d] * (x.extents[d + 2] - 1) + c.extra[d] + (g.kernel[d] - 1) * g.dilations[d] + 1 -
                g.pads[d] - g.pads[d + 2];
    Array expected = zeros({2, 3 * g.groups, size[0], size[1]});
    for_each_index(x.extents, [&](const Ints& i) {
      const I group = i[1] / (4 / g.groups);
      for_each_index({3, g.kernel[0], g.kernel[1]}, [&](const Ints& k) {
        const I row = i[2] * g.strides[0] + k[1] * g.dilations[0] - g.pads[0];
        const I column = i[3] * g.strides[1] + k[2] * g.dilations[1] - g.pads[1];
        if (row < 0 || column < 0 || row >= size[0] || column >= size[1]) return;
        expected.at({i[0], group * 3 + k[0], row, column}) += x.at(i) * w.at({i[1], k[0], k[1], k[2]});
      });
    });
    auto attributes = attributes_of(g);
    attributes["group"] = g.groups;
    attributes["output_padding"] = c.extra;
    expect_close(run({"ConvTranspose", {x, w}, attributes})[0], expected);
  }
}

TEST(Pool, RoundedUpOneWindowMayReachBeyondTheInput) {
  const auto pool = [](I n, I ceil) {
    return run(
        {"MaxPool",
         {random_array({1, 1, n}, 3)},
         {{"kernel_shape", Ints{3}}, {"strides", Ints{3}}, {"dilations", Ints{2}}, {"ceil_mode", ceil}}})[0];
  };
  EXPECT_EQ(pool(4, 1).extents, (Ints{1, 1, 1}));
  EXPECT_THROW(pool(4, 0), std::exception);
  EXPECT_THROW(pool(2, 1), std::exception);
}

TEST(Pool, MaximumAndMeanSkipThePadding) {
  const std::vector<Geometry> cases{{{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}, 1},
                                    {{3, 3}, {2, 1}, {1, 1}, {1, 1, 1, 1}, 1},
                                    {{3, 2}, {2, 2}, {1, 1}, {1, 1, 1, 0}, 1}};
  for (const Geometry& g : cases)
    for (const bool ceil : {false, true}) {
      const Array x = random_array({1, 2, 7, 6}, 21);
      Ints size(2);
      for (std::size_t d = 0; d < 2; ++d) {
        const I room = x.extents[d + 2] + g.pads[d] + g.pads[d + 2] - g.kernel[d];
        size[d] = (ceil ? (room + g.strides[d] - 1) / g.strides[d] : room / g.strides[d]) + 1;
      }
      const auto window = [&](const Ints& o, const std::function<void(double, I)>& visit) {
        for_each_index(g.kernel, [&](const Ints& k) {
          const I row = o[2] * g.strides[0] + k[0] - g.pads[0],
                  column = o[3] * g.strides[1] + k[1] - g.pads[1];
          if (row < 0 || column < 0 || row >= 7 || column >= 6) return;
          visit(x.at({o[0], o[1], row, column}), ((o[0] * 2 + o[1]) * 7 + row) * 6 + column);
        });
      };
      auto attributes = attributes_of(g);
      attributes.erase("dilations");
      attributes["ceil_mode"] = I{ceil};
      const Ints to{1, 2, size[0], size[1]};
      const auto maximum = run({"MaxPool", {x}, attributes, 17, 2});
      expect_close(maximum[0], filled(to, [&](const Ints& o) {
                     double best = -1e9;
                     window(o, [&](double v, I) { best = std::max(best, v); });
                     return best;
                   }));
      expect_close(maximum[1], filled(
                                   to,
                                   [&](const Ints& o) {
                                     double best = -1e9;
                                     I where = -1;
                                     window(o, [&](double v, I at) {
                                       if (v > best) where = at;
                                       best = std::max(best, v);
                                     });
                                     return static_cast<double>(where);
                                   },
                                   Format::i64));
      expect_close(run({"AveragePool", {x}, attributes})[0], filled(to, [&](const Ints& o) {
                     double total = 0;
                     int n = 0;
                     window(o, [&](double v, I) { total += v, ++n; });
                     return total / n;
                   }));
      expect_close(
          run({"LpPool", {x}, {{"kernel_shape", g.kernel}, {"strides", g.strides}, {"pads", g.pads}}})[0],
          filled({1, 2, (7 + g.pads[0] + g.pads[2] - g.kernel[0]) / g.strides[0] + 1,
                  (6 + g.pads[1] + g.pads[3] - g.kernel[1]) / g.strides[1] + 1},
                 [&](const Ints& o) {
                   double total = 0;
                   window(o, [&](double v, I) { total += v * v; });
                   return std::sqrt(total);
                 }));
    }
}

TEST(Pool, PaddingCountsWhenAskedFor) {
  const Array x = random_array({1, 1, 4}, 22);
  const std::map<std::string, Attribute> attributes{
      {"kernel_shape", Ints{3}}, {"pads", Ints{1, 1}}, {"count_include_pad", I{1}}};
  expect_close(run({"AveragePool", {x}, attributes})[0], filled({1, 1, 4}, [&](const Ints& o) {
                 double total = 0;
                 for (I k = -1; k <= 1; ++k)
                   if (o[2] + k >= 0 && o[2] + k < 4) total += x.at({0, 0, o[2] + k});
                 return total / 3;
               }));
}

TEST(Pool, AWindowOfPaddingAloneIsRefused) {
  const Array x = random_array({1, 1, 4}, 23);
  EXPECT_THROW(run({"MaxPool", {x}, {{"kernel_shape", Ints{2}}, {"pads", Ints{2, 2}}}}), Refusal);
  EXPECT_THROW(run({"AveragePool", {x}, {{"kernel_shape", Ints{2}}, {"pads", Ints{0, 3}}}}), Refusal);
}

// Where nothing is above the least value of the type, the first element of the window is the greatest.
TEST(MaxPool, IndicesOfLeastValuesAreThoseOfTheirWindow) {
  const Array x = array_of({1, 1, 6}, {3, 0, 0, 0, 0, 5}, Format::u8);
  const auto both = run({"MaxPool", {x}, {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}, 17, 2});
  expect_close(both[0], array_of({1, 1, 3}, {3, 0, 5}, Format::u8));
  expect_close(both[1], array_of({1, 1, 3}, {0, 2, 5}, Format::i64));
}

TEST(Pool, GlobalPoolsReduceEachPlane) {
  const Array x = random_array({2, 3, 4, 5}, 24);
  const auto plane = [&](const Ints& o, const std::function<void(double)>& visit) {
    for_each_index({4, 5}, [&](const Ints& k) { visit(x.at({o[0], o[1], k[0], k[1]})); });
  };
  expect_close(run({"GlobalAveragePool", {x}, {}})[0], filled({2, 3, 1, 1}, [&](const Ints& o) {
                 double total = 0;
                 plane(o, [&](double v) { total += v / 20; });
                 return total;
               }));
  expect_close(run({"GlobalMaxPool", {x}, {}})[0], filled({2, 3, 1, 1}, [&](const Ints& o) {
                 double best = -1e9;
                 plane(o, [&](double v) { best = std::max(best, v); });
                 return best;
               }));
}

}  // namespace
}  // namespace hallmark::operators
