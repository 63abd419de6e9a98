// pow_f32, a function of two arguments: its stated error, its special cases, and its emitted text against its
// term.
#include <gtest/gtest.h>

#include <random>

#include "elementary_reference.h"
#include "formulation/functions.h"

namespace hallmark::testing {
namespace {

using namespace calculus;

struct Pairs {
  std::vector<std::uint64_t> x, y;
  void add(float a, float b) {
    x.push_back(std::bit_cast<std::uint32_t>(a));
    y.push_back(std::bit_cast<std::uint32_t>(b));
  }
};

// Every pair of notable numbers and their neighbours, then random ones: any bits, and pairs whose power lies
// within the range of f32.
Pairs pairs(std::size_t count) {
  std::vector<float> notable;
  for (const float v : {0.0f,       1e-45f, 1.1754944e-38f, 0.5f,   0.70710678f,   1.0f,        1.4142135f,
                        2.0f,       3.0f,   4.0f,           10.0f,  0.33333334f,   16777216.0f, 16777215.0f,
                        8388607.5f, 127.0f, 128.0f,         149.0f, 3.4028235e38f, INFINITY,    NAN})
    for (int step = -1; step <= 1; ++step)
      for (const std::uint32_t sign : {0u, 0x80000000u})
        notable.push_back(
            as_float((std::bit_cast<std::uint32_t>(v) + static_cast<std::uint32_t>(step)) ^ sign));
  Pairs out;
  for (const float a : notable)
    for (const float b : notable) out.add(a, b);
  std::mt19937 random(11);
  std::uniform_real_distribution<double> exponent(-104, 89), size(-30, 30), near_one(-1e-3, 1e-3);
  while (out.x.size() < count) {
    out.add(as_float(random()), as_float(random()));
    const double base = std::exp(out.x.size() % 4 == 0 ? near_one(random) : size(random));
    out.add(static_cast<float>(base), static_cast<float>(exponent(random) / std::log(base)));
    out.add(static_cast<float>(size(random)), static_cast<float>(std::round(size(random) / 3)));
  }
  return out;
}

lowering::Artifact power_of(long size) {
  Program p;
  p.inputs = {f32("X", {n(size)}), f32("E", {n(size)})};
  p.definitions = {
      define("Y", {n(size)}, operation(Op::pow, {real("X", {i(0)}), real("E", {i(0)})}, Sort::real()))};
  p.outputs = {"Y"};
  return lowering::lower(formulation::formulate(p).program);
}

std::vector<std::uint64_t> run(const Pairs& given) {
  const long size = static_cast<long>(given.x.size());
  Tensors tensors;
  tensors["X"] = {Format::f32, {size}, given.x};
  tensors["E"] = {Format::f32, {size}, given.y};
  run_on_cpu(power_of(size), {}, tensors);
  return tensors["Y"].bits;
}

TEST(Power, WithinTheStatedErrorOnAMillionPairs) {
  const Pairs given = pairs(1 << 20);
  const std::vector<std::uint64_t> results = run(given);
  double worst = 0;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const float x = as_float(given.x[k]), y = as_float(given.y[k]), got = as_float(results[k]);
    const double want = std::pow(static_cast<double>(x), static_cast<double>(y));
    const double error = ulp_error(x, got, want);
    ASSERT_LE(error, 1) << x << " ^ " << y << " = " << want << ", not " << got;
    if (want == 0 || std::isinf(want)) {
      ASSERT_EQ(std::signbit(got), std::signbit(want)) << x << " ^ " << y;
    }
    worst = std::max(worst, error);
  }
  std::printf("pow: %.4f ulp\n", worst);
}

TEST(Power, TextAndTermAgree) {
  const Pairs given = pairs(20000);
  const std::vector<std::uint64_t> results = run(given);
  const Function& term = formulation::find_elementary_function("pow_f32")->function;
  for (std::size_t k = 0; k < results.size(); k += 7) {
    const std::uint64_t want =
        evaluate_float(term.body, {{term.parameters[0], given.x[k]}, {term.parameters[1], given.y[k]}});
    if (std::isnan(as_float(want)) && std::isnan(as_float(results[k]))) continue;
    ASSERT_EQ(want, results[k]) << as_float(given.x[k]) << " ^ " << as_float(given.y[k]);
  }
}

}  // namespace
}  // namespace hallmark::testing
