// Operators that move elements, against loops over flat positions.
#include <algorithm>

#include "harness.h"

namespace hallmark::operators {
namespace {

using I = std::int64_t;
using Ints = std::vector<I>;

Array counting(Ints extents) {
  Array out = zeros(std::move(extents));
  for (std::size_t i = 0; i < out.values.size(); ++i) out.values[i] = static_cast<double>(i);
  return out;
}

TEST(Reshape, KeepsTheRowMajorOrderForAllShapes) {
  const std::vector<std::pair<Ints, Ints>> shapes{
      {{2, 3, 4}, {6, 4}}, {{2, 3, 4}, {24}},   {{2, 3, 4}, {4, 3, 2}},
      {{6, 4}, {8, 3}},    {{1, 6, 1}, {3, 2}}, {{2, 6}, {2, 1, 3, 2}},
      {{4, 9}, {6, 1, 6}}, {{5}, {1, 5, 1}},    {{2, 2, 9}, {4, 3, 3}}};
  for (const auto& [from, to] : shapes) {
    const Array x = counting(from);
    expect_close(run({"Reshape", {x, integers(to)}, {}, 17, 1, {1}})[0], array_of(to, x.values));
  }
}

TEST(Reshape, ZeroCopiesAndMinusOneFillsIn) {
  const Array x = counting({2, 3, 4});
  expect_close(run({"Reshape", {x, integers({0, -1})}, {}, 17, 1, {1}})[0], array_of({2, 12}, x.values));
  EXPECT_THROW(run({"Reshape", {x, integers({-1, -1})}, {}, 17, 1, {1}}), UserError);
  EXPECT_THROW(run({"Reshape", {x, integers({5, -1})}, {}, 17, 1, {1}}), UserError);
  EXPECT_THROW(run({"Reshape", {x, integers({2, 3})}, {}, 17, 1, {1}}), UserError);
  EXPECT_THROW(run({"Reshape", {x, integers({-2, -12})}, {}, 17, 1, {1}}), UserError);
  EXPECT_THROW(run({"Reshape", {x, integers({24})}, {}, 17}), Refusal);
}

TEST(Reshape, FlattenSqueezeUnsqueeze) {
  const Array x = counting({2, 3, 4});
  expect_close(run({"Flatten", {x}, {{"axis", I{2}}}})[0], array_of({6, 4}, x.values));
  expect_close(run({"Flatten", {x}, {{"axis", I{0}}}})[0], array_of({1, 24}, x.values));
  const Array y = counting({1, 3, 1, 2});
  expect_close(run({"Squeeze", {y}, {}})[0], array_of({3, 2}, y.values));
  expect_close(run({"Squeeze", {y, integers({2})}, {}, 17, 1, {1}})[0], array_of({1, 3, 2}, y.values));
  EXPECT_THROW(run({"Squeeze", {y, integers({1})}, {}, 17, 1, {1}}), UserError);
  expect_close(run({"Unsqueeze", {x, integers({-1, 0})}, {}, 17, 1, {1}})[0],
               array_of({1, 2, 3, 4, 1}, x.values));
  expect_close(run({"Unsqueeze", {x}, {{"axes", Ints{1}}}, 11})[0], array_of({2, 1, 3, 4}, x.values));
}

TEST(Rearrange, TransposeExpandTile) {
  const Array x = counting({2, 3, 4});
  expect_close(run({"Transpose", {x}, {{"perm", Ints{2, 0, 1}}}})[0], filled({4, 2, 3}, [&](const Ints& o) {
                 return x.at({o[1], o[2], o[0]});
               }));
  expect_close(run({"Transpose", {x}, {}})[0], filled({4, 3, 2}, [&](const Ints& o) {
                 return x.at({o[2], o[1], o[0]});
               }));
  EXPECT_THROW(run({"Transpose", {x}, {{"perm", Ints{0, 0, 1}}}}), UserError);
  const Array column = counting({3, 1});
  expect_close(run({"Expand", {column, integers({2, 1, 4})}, {}, 17, 1, {1}})[0],
               filled({2, 3, 4}, [&](const Ints& o) {
                 return column.at({o[1], 0});
               }));
  expect_close(run({"Tile", {x, integers({1, 2, 3})}, {}, 17, 1, {1}})[0],
               filled({2, 6, 12}, [&](const Ints& o) {
                 return x.at({o[0], o[1] % 3, o[2] % 4});
               }));
}

TEST(Rearrange, DepthAndSpaceAreInverse) {
  const Array x = counting({1, 8, 2, 3});
  const Array dcr = run({"DepthToSpace", {x}, {{"blocksize", I{2}}}})[0];
  expect_close(dcr, filled({1, 2, 4, 6}, [&](const Ints& o) {
                 return x.at({0, (o[2] % 2 * 2 + o[3] % 2) * 2 + o[1], o[2] / 2, o[3] / 2});
               }));
  expect_close(run({"SpaceToDepth", {dcr}, {{"blocksize", I{2}}}})[0], x);
  expect_close(run({"DepthToSpace", {x}, {{"blocksize", I{2}}, {"mode", std::string("CRD")}}})[0],
               filled({1, 2, 4, 6}, [&](const Ints& o) {
                 return x.at({0, o[1] * 4 + o[2] % 2 * 2 + o[3] % 2, o[2] / 2, o[3] / 2});
               }));
  EXPECT_THROW(run({"DepthToSpace", {counting({1, 6, 2, 2})}, {{"blocksize", I{2}}}}), UserError);
}

TEST(Rearrange, TriluAndReverseSequence) {
  const Array x = counting({2, 4, 5});
  expect_close(run({"Trilu", {x}, {}})[0],
               filled({2, 4, 5}, [&](const Ints& o) { return o[2] >= o[1] ? x.at(o) : 0; }));
  expect_close(run({"Trilu", {x, array_of({}, {-1}, Format::i64)}, {{"upper", I{0}}}})[0],
               filled({2, 4, 5}, [&](const Ints& o) { return o[2] <= o[1] - 1 ? x.at(o) : 0; }));
  const Array lengths = integers({1, 3}), y = counting({4, 2});
  expect_close(run({"ReverseSequence", {y, lengths}, {}})[0], filled({4, 2}, [&](const Ints& o) {
                 const I n = o[1] == 0 ? 1 : 3;
                 return y.at({o[0] < n ? n - 1 - o[0] : o[0], o[1]});
               }));
}

// numpy's meaning of start, end and step, element by element.
Array naive_slice(const Array& x, I start, I end, I step) {
  const I n = x.extents[0];
  const auto clamp = [&](I v, I low, I high) { return std::min(std::max(v < 0 ? v + n : v, low), high); };
  Array out{{0}, {}, Format::f32};
  if (step > 0)
    for (I i = clamp(start, 0, n); i < clamp(end, 0, n); i += step) out.values.push_back(x.at({i}));
  else
    for (I i = clamp(start, 0, n - 1); i > clamp(end, -1, n - 1); i += step) out.values.push_back(x.at({i}));
  out.extents[0] = static_cast<I>(out.values.size());
  return out;
}

TEST(Slice, AllStartsEndsAndSteps) {
  const Array x = counting({5});
  const I largest = I{1} << 40, least = -largest;  // exporters write the largest index for "to the end"
  for (const I start : {-7, -5, -2, 0, 1, 4, 5, 9})
    for (const I end : {least, I{-6}, I{-3}, I{0}, I{2}, I{5}, I{2147483647}, largest})
      for (const I step : {1, 2, 3, -1, -2}) {
        const Call call{"Slice", {x, integers({start}), integers({end}), integers({0}), integers({step})},
                        {},      17,
                        1,       {1, 2, 3, 4}};
        if (step < 0 && start < -5) {
          EXPECT_THROW(run(call), Refusal);
          continue;
        }
        expect_close(run(call)[0], naive_slice(x, start, end, step));
      }
}

TEST(Slice, AttributesBeforeOpset10) {
  const Array x = counting({3, 4});
  expect_close(
      run({"Slice", {x}, {{"starts", Ints{1, -3}}, {"ends", Ints{3, 1000}}, {"axes", Ints{0, 1}}}, 9})[0],
      filled({2, 3}, [&](const Ints& o) {
        return x.at({o[0] + 1, o[1] + 1});
      }));
}

TEST(Slice, SplitAndConcatAreInverse) {
  const Array x = counting({3, 7});
  const auto parts = run({"Split", {x, integers({2, 0, 5})}, {{"axis", I{1}}}, 13, 3, {1}});
  expect_close(parts[2], filled({3, 5}, [&](const Ints& o) { return x.at({o[0], o[1] + 2}); }));
  expect_close(run({"Concat", {parts[0], parts[1], parts[2]}, {{"axis", I{-1}}}})[0], x);
  const auto even = run({"Split", {counting({6, 2})}, {}, 11, 3});
  expect_close(even[1], array_of({2, 2}, {4, 5, 6, 7}));
  EXPECT_THROW(run({"Split", {x}, {{"axis", I{1}}}, 11, 3}), UserError);
  EXPECT_THROW(run({"Concat", {x, counting({2, 7})}, {{"axis", I{1}}}}), UserError);
}

TEST(Pad, EveryModeAndNegativePads) {
  const Array x = counting({3, 4});
  const auto padded = [&](const char* mode, const Ints& pads) {
    return run(
        {"Pad", {x, integers(pads), array_of({}, {-7})}, {{"mode", std::string(mode)}}, 17, 1, {1}})[0];
  };
  const Ints pads{1, 2, 2, 3};
  const auto inside = [&](const Ints& at) { return at[0] >= 0 && at[1] >= 0 && at[0] < 3 && at[1] < 4; };
  expect_close(padded("constant", pads), filled({6, 9}, [&](const Ints& o) {
                 const Ints at{o[0] - 1, o[1] - 2};
                 return inside(at) ? x.at(at) : -7;
               }));
  expect_close(padded("edge", pads), filled({6, 9}, [&](const Ints& o) {
                 return x.at({std::clamp<I>(o[0] - 1, 0, 2), std::clamp<I>(o[1] - 2, 0, 3)});
               }));
  expect_close(padded("reflect", pads), filled({6, 9}, [&](const Ints& o) {
                 const auto back = [](I at, I n) { return at < 0 ? -at : at >= n ? 2 * n - 2 - at : at; };
                 return x.at({back(o[0] - 1, 3), back(o[1] - 2, 4)});
               }));
  expect_close(padded("constant", {-1, 1, 0, -2}), filled({2, 3}, [&](const Ints& o) {
                 return o[1] == 0 ? -7 : x.at({o[0] + 1, o[1] - 1});
               }));
  EXPECT_THROW(padded("reflect", {3, 0, 0, 0}), UserError);
  EXPECT_THROW(padded("wrap", pads), Refusal);
}

TEST(Gather, AlongAnAxisWithNegativeIndices) {
  const Array x = counting({3, 4}), at = array_of({2, 2}, {0, -1, 2, 1}, Format::i64);
  const auto index = [&](I i, I j, I n) {
    const I k = static_cast<I>(at.at({i, j}));
    return k < 0 ? k + n : k;
  };
  const Array expected = filled({3, 2, 2}, [&](const Ints& o) { return x.at({o[0], index(o[1], o[2], 4)}); });
  expect_close(run({"Gather", {x, at}, {{"axis", I{1}}}})[0], expected);
  expect_close(run({"Gather", {x, at}, {{"axis", I{1}}}, 17, 1, {1}})[0], expected);
  EXPECT_THROW(run({"Gather", {x, array_of({1}, {4}, Format::i64)}, {{"axis", I{1}}}, 17, 1, {1}}),
               UserError);
  expect_close(run({"GatherElements", {x, at}, {{"axis", I{0}}}})[0], filled({2, 2}, [&](const Ints& o) {
                 return x.at({index(o[0], o[1], 3), o[1]});
               }));
}

TEST(Gather, ByWholeIndexTuples) {
  const Array x = counting({2, 3, 4}), at = array_of({2, 2}, {1, 2, 0, -1}, Format::i64);
  expect_close(run({"GatherND", {x, at}, {}})[0], filled({2, 4}, [&](const Ints& o) {
                 return o[0] == 0 ? x.at({1, 2, o[1]}) : x.at({0, 2, o[1]});
               }));
  const Array batched = array_of({2, 1}, {2, 0}, Format::i64);
  expect_close(run({"GatherND", {x, batched}, {{"batch_dims", I{1}}}})[0], filled({2, 4}, [&](const Ints& o) {
                 return x.at({o[0], o[0] == 0 ? 2 : 0, o[1]});
               }));
}

TEST(Scatter, TheLastUpdateStaysOrAllAreAdded) {
  const Array data = counting({2, 3}), at = array_of({2, 2}, {1, 1, 0, -1}, Format::i64);
  const Array updates = array_of({2, 2}, {10, 20, 30, 40});
  expect_close(run({"ScatterElements", {data, at, updates}, {{"axis", I{1}}}})[0],
               array_of({2, 3}, {0, 20, 2, 30, 4, 40}));
  expect_close(
      run({"ScatterElements", {data, at, updates}, {{"axis", I{1}}, {"reduction", std::string("add")}}})[0],
      array_of({2, 3}, {0, 31, 2, 33, 4, 45}));
  // Fewer updates than data on the other axis: the rest is untouched, and no index beyond them is read.
  expect_close(run({"ScatterElements",
                    {data, array_of({1, 1}, {2}, Format::i64), array_of({1, 1}, {-5})},
                    {{"axis", I{1}}}})[0],
               array_of({2, 3}, {0, 1, -5, 3, 4, 5}));
  expect_close(run({"ScatterND",
                    {data, array_of({2, 1}, {1, 0}, Format::i64), array_of({2, 3}, {1, 2, 3, 4, 5, 6})},
                    {}})[0],
               array_of({2, 3}, {4, 5, 6, 1, 2, 3}));
}

TEST(Scatter, AnIndexOutsideTheAxisIsAnError) {
  const Array data = array_of({4}, {1, 2, 3, 4}), updates = array_of({2}, {8, 9});
  for (const double outside : {4.0, -5.0}) {
    const Array at = array_of({2}, {1, outside}, Format::i64),
                positions = array_of({2, 1}, {1, outside}, Format::i64);
    EXPECT_THROW(run({"ScatterElements", {data, at, updates}, {}}), UserError);
    EXPECT_THROW(run({"ScatterND", {data, positions, updates}, {}}), UserError);
  }
  const Array at = array_of({2}, {-4, 3}, Format::i64);
  expect_close(run({"ScatterElements", {data, at, updates}, {}})[0], array_of({4}, {8, 2, 3, 9}));
}

TEST(TopK, IsStableAndGivesPositions) {
  const Array x = array_of({2, 5}, {3, 1, 3, 2, 0, -1, -1, 7, 8, -1});
  const auto best = run({"TopK", {x, integers({3})}, {}, 17, 2, {1}});
  expect_close(best[0], array_of({2, 3}, {3, 3, 2, 8, 7, -1}));
  expect_close(best[1], array_of({2, 3}, {0, 2, 3, 3, 2, 0}, Format::i64));
  const auto least = run({"TopK", {x, integers({2})}, {{"largest", I{0}}, {"axis", I{0}}}, 17, 2, {1}});
  expect_close(least[0], array_of({2, 5}, {-1, -1, 3, 2, -1, 3, 1, 7, 8, 0}));
  expect_close(least[1], array_of({2, 5}, {1, 1, 0, 0, 1, 0, 0, 1, 1, 0}, Format::i64));
  EXPECT_THROW(run({"TopK", {x, integers({6})}, {}, 17, 2, {1}}), UserError);
}

TEST(Compress, KeepsWhatIsTrue) {
  const Array x = counting({3, 2}), mask = array_of({3}, {1, 0, 1}, Format::boolean);
  expect_close(run({"Compress", {x, mask}, {{"axis", I{0}}}, 17, 1, {1}})[0], array_of({2, 2}, {0, 1, 4, 5}));
  expect_close(run({"Compress", {x, array_of({5}, {0, 1, 0, 0, 1}, Format::boolean)}, {}, 17, 1, {1}})[0],
               array_of({2}, {1, 4}));
  EXPECT_THROW(run({"Compress", {x, mask}, {{"axis", I{0}}}}), Refusal);
}

TEST(OneHot, NegativeIndicesCountFromTheEndAndOthersAreOff) {
  const Array at = array_of({4}, {0, -1, 3, -4}, Format::i64), values = array_of({2}, {-1, 9});
  expect_close(run({"OneHot", {at, array_of({}, {3}, Format::i64), values}, {}, 17, 1, {1}})[0],
               array_of({4, 3}, {9, -1, -1, -1, -1, 9, -1, -1, -1, -1, -1, -1}));
}

TEST(OneHot, IndicesThatAreNoIntegersAreCutTowardsZero) {
  const Array at = array_of({4}, {1.75, -0.5, -1.5, 3.0}), values = array_of({2}, {0, 1});
  expect_close(run({"OneHot", {at, array_of({}, {3}, Format::i64), values}, {}, 17, 1, {1}})[0],
               array_of({4, 3}, {0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0}));
}

TEST(Constants, ShapeSizeRangeAndEye) {
  const Array x = counting({2, 3, 4});
  expect_close(run({"Shape", {x}, {}})[0], integers({2, 3, 4}));
  expect_close(run({"Shape", {x}, {{"start", I{-2}}, {"end", I{5}}}, 15})[0], integers({3, 4}));
  expect_close(run({"Size", {x}, {}})[0], array_of({}, {24}, Format::i64));
  const auto scalar = [](double v, Format f) { return array_of({}, {v}, f); };
  expect_close(run({"Range",
                    {scalar(10, Format::i64), scalar(3, Format::i64), scalar(-3, Format::i64)},
                    {},
                    17,
                    1,
                    {0, 1, 2}})[0],
               integers({10, 7, 4}));
  // A negative step that divides the distance, and one that leads away from the limit.
  expect_close(run({"Range",
                    {scalar(5, Format::i64), scalar(-3, Format::i64), scalar(-2, Format::i64)},
                    {},
                    17,
                    1,
                    {0, 1, 2}})[0],
               integers({5, 3, 1, -1}));
  expect_close(run({"Range",
                    {scalar(0, Format::i64), scalar(5, Format::i64), scalar(-1, Format::i64)},
                    {},
                    17,
                    1,
                    {0, 1, 2}})[0],
               integers({}));
  expect_close(run({"Range",
                    {scalar(1, Format::f32), scalar(2, Format::f32), scalar(0.25, Format::f32)},
                    {},
                    17,
                    1,
                    {0, 1, 2}})[0],
               array_of({4}, {1, 1.25, 1.5, 1.75}));
  expect_close(run({"EyeLike", {counting({3, 4})}, {{"k", I{1}}}})[0],
               filled({3, 4}, [](const Ints& o) { return o[1] == o[0] + 1 ? 1.0 : 0.0; }));
  expect_close(run({"NonZero", {array_of({2, 2}, {0, 5, 7, 0})}, {}, 17, 1, {0}})[0],
               array_of({2, 2}, {0, 1, 1, 0}, Format::i64));
  EXPECT_THROW(run({"NonZero", {array_of({2, 2}, {0, 5, 7, 0})}, {}}), Refusal);
}

}  // namespace
}  // namespace hallmark::operators
