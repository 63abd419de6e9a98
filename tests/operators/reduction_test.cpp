// Reductions, arg reductions, softmax and the normalisations against loops.
#include <algorithm>

#include "harness.h"

namespace hallmark::operators {
namespace {

using I = std::int64_t;
using Ints = std::vector<I>;

TEST(Reduce, OverSomeAxesAllAxesAndWithoutKeepingThem) {
  struct Case {
    const char* name;
    double start;
    double (*step)(double, double);
    double (*finish)(double, double);
  };
  const auto same = [](double s, double) { return s; };
  const std::vector<Case> cases{
      {"ReduceSumSquare", 0, [](double s, double x) { return s + x * x; }, same},
      {"ReduceL1", 0, [](double s, double x) { return s + std::fabs(x); }, same},
      {"ReduceL2", 0, [](double s, double x) { return s + x * x; },
       [](double s, double) { return std::sqrt(s); }},
      {"ReduceLogSum", 0, [](double s, double x) { return s + x; },
       [](double s, double) { return std::log(s); }},
      {"ReduceLogSumExp", 0, [](double s, double x) { return s + std::exp(x); },
       [](double s, double) { return std::log(s); }},
      {"ReduceMean", 0, [](double s, double x) { return s + x; }, [](double s, double n) { return s / n; }},
      {"ReduceProd", 1, [](double s, double x) { return s * x; }, same},
      {"ReduceMax", -1e9, [](double s, double x) { return std::max(s, x); }, same},
      {"ReduceMin", 1e9, [](double s, double x) { return std::min(s, x); }, same}};
  const Array x = random_array({2, 3, 4}, 1, 0.25, 3);
  for (const Case& c : cases) {
    const auto over = [&](double n, const std::function<void(const std::function<void(double)>&)>& all) {
      double state = c.start;
      all([&](double v) { state = c.step(state, v); });
      return c.finish(state, n);
    };
    expect_close(run({c.name, {x}, {{"axes", Ints{0, -1}}}})[0], filled({1, 3, 1}, [&](const Ints& o) {
                   return over(8, [&](const auto& visit) {
                     for_each_index({2, 4}, [&](const Ints& k) { visit(x.at({k[0], o[1], k[1]})); });
                   });
                 }));
    expect_close(run({c.name, {x}, {{"axes", Ints{1}}, {"keepdims", I{0}}}})[0],
                 filled({2, 4}, [&](const Ints& o) {
                   return over(3, [&](const auto& visit) {
                     for (I k = 0; k < 3; ++k) visit(x.at({o[0], k, o[1]}));
                   });
                 }));
    expect_close(run({c.name, {x}, {{"keepdims", I{0}}}})[0], filled({}, [&](const Ints&) {
                   return over(24, [&](const auto& visit) {
                     for (const double v : x.values) visit(v);
                   });
                 }));
  }
}

TEST(Reduce, SumTakesItsAxesAsAnInputSinceOpset13) {
  const Array x = random_array({2, 3}, 2);
  const Array expected = filled({2, 1}, [&](const Ints& o) {
    return x.at({o[0], 0}) + x.at({o[0], 1}) + x.at({o[0], 2});
  });
  expect_close(run({"ReduceSum", {x, integers({1})}, {}, 13, 1, {1}})[0], expected);
  expect_close(run({"ReduceSum", {x}, {{"axes", Ints{1}}}, 11})[0], expected);
  expect_close(run({"ReduceSum", {x}, {{"noop_with_empty_axes", I{1}}}})[0], x);
  EXPECT_THROW(run({"ReduceSum", {x, integers({1})}, {}, 13}), Refusal);  // axes known at run time only
  EXPECT_THROW(run({"ReduceMax", {x}, {{"axes", Ints{2}}}}), UserError);
  EXPECT_THROW(run({"ReduceMax", {x}, {{"axes", Ints{1, -1}}}}), UserError);
}

TEST(ArgReduce, TiesGoToTheFirstOrTheLast) {
  const Array x = array_of({2, 4}, {1, 3, 3, 0, 5, 5, 2, 5});
  expect_close(run({"ArgMax", {x}, {{"axis", I{1}}}})[0], array_of({2, 1}, {1, 0}, Format::i64));
  expect_close(run({"ArgMax", {x}, {{"axis", I{1}}, {"select_last_index", I{1}}, {"keepdims", I{0}}}})[0],
               array_of({2}, {2, 3}, Format::i64));
  expect_close(run({"ArgMin", {x}, {{"axis", I{0}}, {"keepdims", I{0}}}})[0],
               array_of({4}, {0, 0, 1, 0}, Format::i64));
  expect_close(run({"Hardmax", {x}, {}})[0], array_of({2, 4}, {0, 1, 0, 0, 1, 0, 0, 0}));
}

TEST(ArgReduce, HardmaxBefore13TakesAllLaterAxes) {
  const Array x = random_array({2, 3, 2}, 3);
  expect_close(run({"Hardmax", {x}, {}, 11})[0], filled({2, 3, 2}, [&](const Ints& o) {
                 for (I j = 0; j < 3; ++j)
                   for (I k = 0; k < 2; ++k) {
                     const double v = x.at({o[0], j, k}), mine = x.at(o);
                     if (v > mine || (v == mine && j * 2 + k < o[1] * 2 + o[2])) return 0.0;
                   }
                 return 1.0;
               }));
}

Array naive_softmax(const Array& x, bool whole, std::size_t axis, bool logarithm) {
  return filled(x.extents, [&](const Ints& o) {
    double total = 0;
    for_each_index(x.extents, [&](const Ints& i) {
      for (std::size_t d = 0; d < o.size(); ++d)
        if (i[d] != o[d] && !(d == axis || (whole && d > axis))) return;
      total += std::exp(x.at(i));
    });
    return logarithm ? x.at(o) - std::log(total) : std::exp(x.at(o)) / total;
  });
}

TEST(Softmax, OneAxisSince13AndAllLaterAxesBefore) {
  const Array x = random_array({2, 3, 4}, 4);
  for (const bool logarithm : {false, true}) {
    const char* name = logarithm ? "LogSoftmax" : "Softmax";
    expect_close(run({name, {x}, {}})[0], naive_softmax(x, false, 2, logarithm));
    expect_close(run({name, {x}, {{"axis", I{0}}}})[0], naive_softmax(x, false, 0, logarithm));
    expect_close(run({name, {x}, {{"axis", I{-2}}}})[0], naive_softmax(x, false, 1, logarithm));
    expect_close(run({name, {x}, {}, 12})[0], naive_softmax(x, true, 1, logarithm));
    expect_close(run({name, {x}, {{"axis", I{2}}}, 9})[0], naive_softmax(x, true, 2, logarithm));
  }
}

TEST(Softmax, LargeElementsDoNotOverflow) {
  const Array x = array_of({2}, {1000, 1001});
  const double e = std::exp(1.0);
  expect_close(run({"Softmax", {x}, {}})[0], array_of({2}, {1 / (1 + e), e / (1 + e)}));
}

struct Moments {
  double mean = 0, variance = 0;
};
Moments moments(const std::vector<double>& values) {
  Moments out;
  for (const double v : values) out.mean += v / static_cast<double>(values.size());
  for (const double v : values)
    out.variance += (v - out.mean) * (v - out.mean) / static_cast<double>(values.size());
  return out;
}

TEST(Normalization, BatchInstanceAndLayer) {
  const Array x = random_array({2, 3, 2, 4}, 5), scale = random_array({3}, 6), bias = random_array({3}, 7);
  const Array mean = random_array({3}, 8), variance = random_array({3}, 9, 0.5, 3);
  const double epsilon = static_cast<double>(1e-3F);
  expect_close(run({"BatchNormalization", {x, scale, bias, mean, variance}, {{"epsilon", 1e-3F}}})[0],
               filled(x.extents, [&](const Ints& o) {
                 const Ints c{o[1]};
                 return (x.at(o) - mean.at(c)) / std::sqrt(variance.at(c) + epsilon) * scale.at(c) +
                        bias.at(c);
               }));
  expect_close(
      run({"InstanceNormalization", {x, scale, bias}, {{"epsilon", 1e-3F}}})[0],
      filled(x.extents, [&](const Ints& o) {
        std::vector<double> plane;
        for_each_index({2, 4}, [&](const Ints& k) { plane.push_back(x.at({o[0], o[1], k[0], k[1]})); });
        const Moments m = moments(plane);
        return (x.at(o) - m.mean) / std::sqrt(m.variance + epsilon) * scale.at({o[1]}) + bias.at({o[1]});
      }));
  const Array wide = random_array({2, 4}, 10), shift = random_array({4}, 11);
  const auto row = [&](const Ints& o) {
    std::vector<double> values;
    for_each_index({2, 4}, [&](const Ints& k) { values.push_back(x.at({o[0], o[1], k[0], k[1]})); });
    return moments(values);
  };
  const auto layer =
      run({"LayerNormalization", {x, wide, shift}, {{"axis", I{2}}, {"epsilon", 1e-3F}}, 17, 3});
  expect_close(layer[0], filled(x.extents, [&](const Ints& o) {
                 const Moments m = row(o);
                 return (x.at(o) - m.mean) / std::sqrt(m.variance + epsilon) * wide.at({o[2], o[3]}) +
                        shift.at({o[3]});
               }));
  expect_close(layer[1], filled({2, 3, 1, 1}, [&](const Ints& o) { return row(o).mean; }));
  expect_close(layer[2],
               filled({2, 3, 1, 1}, [&](const Ints& o) { return 1 / std::sqrt(row(o).variance + epsilon); }));
}

TEST(Normalization, TrainingIsRefused) {
  const Array x = random_array({1, 2, 2}, 5), c = random_array({2}, 6, 0.5, 1);
  EXPECT_THROW(run({"BatchNormalization", {x, c, c, c, c}, {{"training_mode", I{1}}}, 15}), Refusal);
  EXPECT_THROW(run({"BatchNormalization", {x, c, c, c, c}, {}, 6}), Refusal);
  EXPECT_NO_THROW(run({"BatchNormalization", {x, c, c, c, c}, {{"is_test", I{1}}}, 6}));
}

TEST(Normalization, LrnReachesFurtherUpForEvenSizes) {
  const Array x = random_array({1, 6, 2}, 12);
  for (const I size : {1, 2, 3, 4, 5})
    expect_close(run({"LRN", {x}, {{"size", size}, {"alpha", 0.5F}, {"beta", 0.75F}, {"bias", 2.0F}}})[0],
                 filled(x.extents, [&](const Ints& o) {
                   double squares = 0;
                   const I low = std::max<I>(0, o[1] - (size - 1) / 2),
                           high = std::min<I>(5, o[1] + size / 2);
                   for (I c = low; c <= high; ++c) squares += x.at({0, c, o[2]}) * x.at({0, c, o[2]});
                   return x.at(o) / std::pow(2 + 0.5 / static_cast<double>(size) * squares, 0.75);
                 }));
}

TEST(Normalization, LpNormAndMeanVariance) {
  const Array x = random_array({3, 4}, 13, 1, 4);
  for (const I p : {1, 2})
    expect_close(run({"LpNormalization", {x}, {{"axis", I{0}}, {"p", p}}})[0],
                 filled({3, 4}, [&](const Ints& o) {
                   double norm = 0;
                   for (I k = 0; k < 3; ++k) norm += std::pow(x.at({k, o[1]}), static_cast<double>(p));
                   return x.at(o) / (p == 1 ? norm : std::sqrt(norm));
                 }));
  const Array image = random_array({2, 3, 2, 2}, 14);
  expect_close(run({"MeanVarianceNormalization", {image}, {}})[0], filled(image.extents, [&](const Ints& o) {
                 std::vector<double> channel;
                 for_each_index({2, 2, 2}, [&](const Ints& k) {
                   channel.push_back(image.at({k[0], o[1], k[1], k[2]}));
                 });
                 const Moments m = moments(channel);
                 return (image.at(o) - m.mean) / (std::sqrt(m.variance) + static_cast<double>(1e-9F));
               }));
}

}  // namespace
}  // namespace hallmark::operators
