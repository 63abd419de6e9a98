// Elementwise operators, activations, comparisons, casts and MatMul against loops in plain C++.
#include <algorithm>
#include <limits>

#include "harness.h"

namespace hallmark::operators {
namespace {

using I = std::int64_t;
using Ints = std::vector<I>;

TEST(Elementwise, BroadcastingAlignsAtTheEnd) {
  const Array a = random_array({2, 1, 3}, 1), b = random_array({4, 1}, 2);
  expect_close(run({"Sub", {a, b}, {}})[0], filled({2, 4, 3}, [&](const Ints& o) {
                 return a.at({o[0], 0, o[2]}) - b.at({o[1], 0});
               }));
  const Array scalar = array_of({}, {2.5});
  expect_close(run({"Mul", {a, scalar}, {}})[0],
               filled({2, 1, 3}, [&](const Ints& o) { return a.at(o) * 2.5; }));
  EXPECT_THROW(run({"Add", {random_array({2, 3}, 1), random_array({2, 4}, 2)}, {}}), UserError);
  EXPECT_THROW(run({"Add", {zeros({2}), zeros({2}, Format::f64)}, {}}), UserError);
}

TEST(Elementwise, FunctionsOfOneElement) {
  using F = double (*)(double);
  const std::vector<std::pair<const char*, F>> all{
      {"Relu", [](double x) { return x > 0 ? x : 0; }},
      {"Neg", [](double x) { return -x; }},
      {"Abs", [](double x) { return std::fabs(x); }},
      {"Sign", [](double x) { return x > 0   ? 1.0
                                     : x < 0 ? -1.0
                                             : 0.0; }},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Sin", [](double x) { return std::sin(x); }},
      {"Atan", [](double x) { return std::atan(x); }},
      {"Asinh", [](double x) { return std::asinh(x); }},
      {"Tanh", [](double x) { return std::tanh(x); }},
      {"Erf", [](double x) { return std::erf(x); }},
      {"Floor", [](double x) { return std::floor(x); }},
      {"Ceil", [](double x) { return std::ceil(x); }},
      {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"Softplus", [](double x) { return std::log(1 + std::exp(x)); }},
      {"Softsign", [](double x) { return x / (1 + std::fabs(x)); }},
      {"HardSwish",
       [](double x) { return x * std::fmax(0, std::fmin(1, static_cast<double>(1.0F / 6.0F) * x + 0.5)); }},
      {"Elu", [](double x) { return x < 0 ? std::exp(x) - 1 : x; }},
      {"Celu", [](double x) { return std::fmax(0, x) + std::fmin(0, std::exp(x) - 1); }},
      {"Selu",
       [](double x) {
         return static_cast<double>(1.05070102F) *
                (x > 0 ? x : static_cast<double>(1.67326319F) * (std::exp(x) - 1));
       }},
      {"LeakyRelu", [](double x) { return x < 0 ? static_cast<double>(0.01F) * x : x; }},
      {"ThresholdedRelu", [](double x) { return x > 1 ? x : 0; }}};
  const Array x = random_array({3, 7}, 3);
  for (const auto& entry : all) {
    const F f = entry.second;
    expect_close(run({entry.first, {x}, {}})[0], filled({3, 7}, [&](const Ints& o) { return f(x.at(o)); }));
  }
  const Array positive = random_array({9}, 4, 0.5, 4);
  expect_close(run({"Sqrt", {positive}, {}})[0],
               filled({9}, [&](const Ints& o) { return std::sqrt(positive.at(o)); }));
  expect_close(run({"Log", {positive}, {}})[0],
               filled({9}, [&](const Ints& o) { return std::log(positive.at(o)); }));
  expect_close(run({"Reciprocal", {positive}, {}})[0],
               filled({9}, [&](const Ints& o) { return 1 / positive.at(o); }));
}

TEST(Elementwise, RoundGoesToTheEvenNeighbour) {
  const Array x = array_of({6}, {0.5, 1.5, 2.5, -0.5, -1.5, 2.75});
  expect_close(run({"Round", {x}, {}})[0], array_of({6}, {0, 2, 2, 0, -2, 3}));
}

TEST(Elementwise, ClipHasItsBoundsInOrder) {
  const Array x = random_array({8}, 5), low = array_of({}, {1}), high = array_of({}, {-1});
  // The upper bound wins when they cross.
  expect_close(run({"Clip", {x, low, high}, {}})[0], filled({8}, [](const Ints&) { return -1.0; }));
  expect_close(run({"Clip", {x, low, high}, {}, 17, 1, {}, {1}})[0],
               filled({8}, [&](const Ints& o) { return std::fmin(x.at(o), -1); }));
  expect_close(run({"Clip", {x}, {{"min", -2.0F}, {"max", std::numeric_limits<float>::infinity()}}, 6})[0],
               filled({8}, [&](const Ints& o) { return std::fmax(x.at(o), -2); }));
}

TEST(Elementwise, IntegerDivisionTruncatesAndRemaindersHaveTheSignsAsked) {
  const Array a = array_of({4}, {7, -7, 7, -7}, Format::i32), b = array_of({4}, {3, 3, -3, -3}, Format::i32);
  expect_close(run({"Div", {a, b}, {}})[0], array_of({4}, {2, -2, -2, 2}, Format::i32));
  expect_close(run({"Mod", {a, b}, {}})[0], array_of({4}, {1, 2, -2, -1}, Format::i32));
  expect_close(run({"Mod", {a, b}, {{"fmod", I{1}}}})[0], array_of({4}, {1, -1, 1, -1}, Format::i32));
  EXPECT_THROW(run({"Mod", {zeros({1}), zeros({1})}, {}}), UserError);
}

TEST(Elementwise, IntegersWrapAroundAtTheirWidth) {
  const Array a = array_of({2}, {100, -128}, Format::i8), b = array_of({2}, {100, -1}, Format::i8);
  expect_close(run({"Add", {a, b}, {}})[0], array_of({2}, {-56, 127}, Format::i8));
  const Array u = array_of({2}, {200, 3}, Format::u8), n = array_of({2}, {1, 7}, Format::u8);
  expect_close(run({"BitShift", {u, n}, {{"direction", std::string("LEFT")}}})[0],
               array_of({2}, {144, 128}, Format::u8));
}

TEST(Elementwise, PowKeepsTheBaseType) {
  const Array base = array_of({3}, {1, 2, 3}), exponent = array_of({3}, {4, 5, 6}, Format::i64);
  expect_close(run({"Pow", {base, exponent}, {}})[0], array_of({3}, {1, 32, 729}));
  const Array whole = array_of({3}, {1, 2, 3}, Format::i32), half = array_of({}, {0.5});
  expect_close(run({"Pow", {whole, half}, {}})[0], array_of({3}, {1, 1, 1}, Format::i32));
}

TEST(Elementwise, SeveralInputs) {
  const Array a = random_array({2, 3}, 6), b = random_array({3}, 7), c = random_array({2, 1}, 8);
  const auto each = [&](double (*f)(double, double, double)) {
    return filled({2, 3}, [&](const Ints& o) { return f(a.at(o), b.at({o[1]}), c.at({o[0], 0})); });
  };
  expect_close(run({"Sum", {a, b, c}, {}})[0], each([](double x, double y, double z) { return x + y + z; }));
  expect_close(run({"Mean", {a, b, c}, {}})[0],
               each([](double x, double y, double z) { return (x + y + z) / 3; }));
  expect_close(run({"Max", {a, b, c}, {}})[0], each([](double x, double y, double z) {
                 return std::max({x, y, z});
               }));
  expect_close(run({"Min", {a, b, c}, {}})[0], each([](double x, double y, double z) {
                 return std::min({x, y, z});
               }));
}

TEST(Elementwise, ComparisonLogicAndWhere) {
  const Array a = random_array({12}, 9, -1, 1), b = random_array({12}, 10, -1, 1);
  const auto each = [&](bool (*f)(double, double)) {
    return filled(
        {12}, [&](const Ints& o) { return f(a.at(o), b.at(o)); }, Format::boolean);
  };
  const Array less = each([](double x, double y) { return x < y; });
  const Array equal = each([](double x, double y) { return x == y; });
  expect_close(run({"Less", {a, b}, {}})[0], less);
  expect_close(run({"Equal", {a, b}, {}})[0], equal);
  expect_close(run({"Greater", {a, b}, {}})[0], each([](double x, double y) { return x > y; }));
  expect_close(run({"LessOrEqual", {a, b}, {}})[0], each([](double x, double y) { return x <= y; }));
  expect_close(run({"GreaterOrEqual", {a, b}, {}})[0], each([](double x, double y) { return x >= y; }));
  expect_close(run({"Or", {less, equal}, {}})[0], each([](double x, double y) { return x <= y; }));
  expect_close(run({"And", {less, equal}, {}})[0], each([](double, double) { return false; }));
  expect_close(run({"Xor", {less, less}, {}})[0], each([](double, double) { return false; }));
  expect_close(run({"Not", {less}, {}})[0], each([](double x, double y) { return !(x < y); }));
  expect_close(run({"Where", {less, a, b}, {}})[0],
               filled({12}, [&](const Ints& o) { return std::min(a.at(o), b.at(o)); }));
}

TEST(Elementwise, CastsAreExactSteps) {
  const Array x = array_of({4}, {-1.75, 0.25, 2.5, 300});
  expect_close(run({"Cast", {x}, {{"to", I{6}}}})[0], array_of({4}, {-1, 0, 2, 300}, Format::i32));
  expect_close(run({"Cast", {x}, {{"to", I{9}}}})[0], array_of({4}, {1, 1, 1, 1}, Format::boolean));
  // 1 + 2^-11 lies half way between two halves and goes to the even one.
  const Array fine = array_of({2}, {1.00048828125, 1.5});
  expect_close(run({"Cast", {fine}, {{"to", I{10}}}})[0], array_of({2}, {1, 1.5}, Format::f16), 0);
  expect_close(run({"Cast", {array_of({2}, {3, -4}, Format::i64)}, {{"to", I{1}}}})[0],
               array_of({2}, {3, -4}));
  EXPECT_THROW(run({"Cast", {x}, {{"to", I{8}}}}), Refusal);
}

TEST(Elementwise, PReluBroadcastsOneWay) {
  const Array x = random_array({2, 3, 4}, 11), slope = random_array({3, 1}, 12);
  const Array expected = filled({2, 3, 4}, [&](const Ints& o) {
    return x.at(o) < 0 ? x.at(o) * slope.at({o[1], 0}) : x.at(o);
  });
  expect_close(run({"PRelu", {x, slope}, {}})[0], expected);
  EXPECT_THROW(run({"PRelu", {slope, x}, {}}), UserError);
  // Opset 6: one slope per channel.
  expect_close(run({"PRelu", {x, array_of({3}, slope.values)}, {}, 6})[0], expected);
}

// B's axes stand where `axis` says: what ONNX's converter to opset 7 gets wrong.
TEST(Elementwise, Opset6BroadcastsFromItsAxis) {
  const Array a = random_array({2, 3, 4, 3}, 13), b = random_array({3}, 14);
  expect_close(run({"Add", {a, b}, {{"broadcast", I{1}}, {"axis", I{1}}}, 6})[0],
               filled(a.extents, [&](const Ints& o) { return a.at(o) + b.at({o[1]}); }));
  expect_close(run({"Add", {a, b}, {{"broadcast", I{1}}}, 6})[0],
               filled(a.extents, [&](const Ints& o) { return a.at(o) + b.at({o[3]}); }));
  EXPECT_THROW(run({"Add", {a, b}, {}, 6}), UserError);
}

TEST(MatMul, VectorsMatricesAndBatches) {
  const auto dot = [](I n, const std::function<double(I)>& product) {
    double total = 0;
    for (I k = 0; k < n; ++k) total += product(k);
    return total;
  };
  const Array a = random_array({2, 1, 3, 4}, 15), b = random_array({5, 4, 2}, 16);
  expect_close(run({"MatMul", {a, b}, {}})[0], filled({2, 5, 3, 2}, [&](const Ints& o) {
                 return dot(4, [&](I k) { return a.at({o[0], 0, o[2], k}) * b.at({o[1], k, o[3]}); });
               }));
  const Array row = random_array({4}, 17);
  expect_close(run({"MatMul", {row, b}, {}})[0], filled({5, 2}, [&](const Ints& o) {
                 return dot(4, [&](I k) { return row.at({k}) * b.at({o[0], k, o[1]}); });
               }));
  expect_close(run({"MatMul", {a, row}, {}})[0], filled({2, 1, 3}, [&](const Ints& o) {
                 return dot(4, [&](I k) { return a.at({o[0], 0, o[2], k}) * row.at({k}); });
               }));
  expect_close(run({"MatMul", {row, row}, {}})[0], filled({}, [&](const Ints&) {
                 return dot(4, [&](I k) { return row.at({k}) * row.at({k}); });
               }));
  EXPECT_THROW(run({"MatMul", {a, a}, {}}), UserError);
}

TEST(Gemm, TransposesScalesAndAddsC) {
  const Array a = random_array({4, 3}, 18), b = random_array({2, 4}, 19), c = random_array({3, 1}, 20);
  const std::map<std::string, Attribute> attributes{
      {"transA", I{1}}, {"transB", I{1}}, {"alpha", 0.5F}, {"beta", 0.25F}};
  expect_close(run({"Gemm", {a, b, c}, attributes})[0], filled({3, 2}, [&](const Ints& o) {
                 double total = 0;
                 for (I k = 0; k < 4; ++k) total += a.at({k, o[0]}) * b.at({o[1], k});
                 return 0.5 * total + 0.25 * c.at({o[0], 0});
               }));
  EXPECT_THROW(run({"Gemm", {random_array({3, 4}, 1), random_array({4, 1}, 2), random_array({3, 2}, 3)}, {}}),
               UserError);
}

}  // namespace
}  // namespace hallmark::operators
