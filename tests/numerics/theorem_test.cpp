// The closed forms one by one: against sums written out, against what must not be provable, and the programs
// that must be.
#include <cmath>

#include "numerics/accuracy.h"
#include "numerics/adverse_sum.h"
#include "numerics/exponential_sum.h"
#include "numerics/fold_order.h"
#include "numerics/sum_error.h"
#include "numerics/tensor_core.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

const Order* tree(long leaves) {
  return make_order({Order::Kind::tree, integer(leaves), nullptr, nullptr, {}});
}
const Order* strided(long count) {
  return make_order({Order::Kind::strided, integer(count), tree(count), nullptr, {}});
}

double high(const Interval& x) {
  return mpfr_get_d(x.high(), MPFR_RNDU);
}

TEST(AverageShift, IsAboveEveryAverageAndNearTheGreatest) {
  for (const long n : {2, 3, 4, 16, 1024}) {
    const double bound = high(average_shift(n, Interval(Rational(100))));
    double worst = 0;
    for (double t = 0; t < 40; t += 1.0 / 256) {
      const double w = static_cast<double>(n - 1) * std::exp(-t);
      worst = std::max(worst, w * t / (1 + w));
    }
    EXPECT_GE(bound, worst) << n;
    EXPECT_LE(bound, worst * 1.001) << n;
  }
  EXPECT_EQ(high(average_shift(1, Interval(Rational(100)))), 0);
  // Never more than the greatest shift.
  EXPECT_LE(high(average_shift(1024, Interval(Rational(1, 2)))), 0.5);
}

// What a slope in the shifts does to a share, p (A + t (1 - 2 p)), is at most max(1/2, ln(n - 1) / 4 +
// 0.22388), for two terms at most 0.22388 (exponential_sum.cpp).
TEST(Shares, OfShiftedExponentialsMoveByALogarithm) {
  std::mt19937_64 random(23);
  for (const int n : {2, 3, 5, 16, 200, 4096}) {
    const double bound = n == 2 ? 0.22388 : std::max(0.5, std::log(n - 1) / 4 + 0.22388);
    double worst = 0;
    for (int run = 0; run < 4000; ++run) {
      // One shift is 0; the others are alike, of two kinds, or anything.
      const double a = std::ldexp(static_cast<double>(random() >> 11), -53) * 12,
                   b = std::ldexp(static_cast<double>(random() >> 11), -53) * 12;
      const int split = static_cast<int>(random() % static_cast<unsigned>(n));
      std::vector<double> t{0};
      for (int k = 1; k < n; ++k)
        t.push_back(run % 4 == 3 ? std::ldexp(static_cast<double>(random() >> 11), -53) * a
                    : k < split  ? b
                                 : a);
      double total = 0, average = 0;
      for (const double x : t) total += std::exp(-x);
      for (const double x : t) average += std::exp(-x) * x / total;
      for (const double x : t) {
        const double p = std::exp(-x) / total;
        worst = std::max(worst, p * (average + x * (1 - 2 * p)));
      }
    }
    EXPECT_LE(worst, bound) << n;
    EXPECT_GE(worst, 0.8 * (n == 2 ? bound : std::log(n - 1) / 4)) << n;
  }
}

// Counted leaf by leaf.
TEST(FoldOrderShapes, SpareRoundings) {
  for (const long n : {1L, 2L, 3L, 7L, 64L, 100L}) {
    Integer spared = 0;
    for (long k = 1; k <= n; ++k) {
      const long depth = k == 1 ? n - 1 : n - k + 1;
      spared += (n - 1) - depth;
    }
    EXPECT_EQ(spared_roundings(*seq_order(), n), spared) << n;
    const Integer lanes = spared_roundings(*strided(8), n);
    Integer own = 0;
    for (long lane = 0; lane < 8; ++lane) {
      const long m = (n - lane + 7) / 8, full = (n + 7) / 8;
      for (long k = 1; k <= m; ++k) own += (full - 1) - (k == 1 ? m - 1 : m - k + 1);
    }
    EXPECT_LE(lanes, own) << n;
    if (n % 8 == 0) {
      EXPECT_EQ(lanes, own) << n;
    }
  }
  EXPECT_EQ(spared_roundings(*tree(64), 64), 0);
}

// In a narrow range a sum grows evenly, and the bound counts with that.
TEST(Shares, InANarrowRangeNoRunIsOutside) {
  std::mt19937_64 random(29);
  for (const long n : {3L, 16L, 96L})
    for (const Order* order : {seq_order(), strided(16)})
      for (const double edge : {0.25, 1.0, 3.0}) {
        Builder b;
        b.input("x", {n}).define(
            "m", {}, max_over(static_cast<std::size_t>(n), [](Term k) { return real_load("x", {k}); }));
        b.define("e", {n}, apply(Op::exp, {apply(Op::sub, {real_load("x", {axis(0)}), real_load("m", {})})}));
        b.define("s", {}, over(static_cast<std::size_t>(n), [](Term k) { return real_load("e", {k}); }));
        b.define("y", {n}, apply(Op::div, {real_load("e", {axis(0)}), real_load("s", {})}));
        formulation::Options options;
        options.default_order = order;
        const formulation::Formulation f = formulation::formulate(b.program, options);
        const contract::Contract box = boxes(b.program, exact_rational(-edge), exact_rational(edge));
        const Value bound =
            *analyse({f.program, box, &f.constants, nullptr, nullptr, nullptr}, Pass::composed).at("y").value;
        for (int run = 0; run < 60; ++run) {
          std::vector<double> x;
          for (long k = 0; k < n; ++k) {
            const double t = std::ldexp(static_cast<double>(random() >> 11), -53);
            const double kinds[] = {edge * (2 * t - 1), random() % 2 == 0 ? edge : -edge,
                                    k == 0 ? edge : -edge * (1 - t / 64)};
            x.push_back(kinds[run % 3]);
          }
          Point point;
          point.inputs["x"] = tensor(Format::f32, {n}, x);
          const TensorData y = simulate(f.program, point).at("y");
          Reference reference(b.program, point);
          for (long k = 0; k < n; ++k) {
            const Interval exact = *reference.element("y", {k}).real;
            const Interval off = abs(Interval(*element_value(y, k), exact.precision()) - exact);
            EXPECT_LE(mpfr_get_d(off.low(), MPFR_RNDD), high(bound.absolute)) << n << " " << edge << " " << k;
          }
        }
      }
}

// Node by node in exact arithmetic.
TEST(SumError, OfASequenceIsTheSumOfTheHalfSpacings) {
  const RoundingModel f32;
  const Interval one(Rational(1)), zero;
  double expected = 0;
  for (int k = 2; k <= 1024; ++k) {
    int exponent = 0;
    const double fraction = std::frexp(k, &exponent);
    expected += std::ldexp(1.0, (fraction == 0.5 ? exponent - 1 : exponent) - 25);
  }
  const auto seq = sum_error(*seq_order(), 1024, one, zero, f32, true);
  ASSERT_TRUE(seq.has_value());
  EXPECT_GE(high(seq->error), expected);
  EXPECT_LE(high(seq->error), expected * 1.02);
  EXPECT_GE(high(seq->magnitude), 1024);
  // Ten levels of pairs: 512 of [1, 2], 256 of [2, 4], ...: each level 512 * 2^-24.
  const auto pairs = sum_error(*tree(1024), 1024, one, zero, f32, true);
  ASSERT_TRUE(pairs.has_value());
  EXPECT_EQ(high(pairs->error), std::ldexp(5120, -24));
  EXPECT_FALSE(sum_error(*any_order(), 4, one, zero, f32, true).has_value());
  // 65504 is the end of f16.
  EXPECT_FALSE(sum_error(*seq_order(), 100, Interval(Rational(1000)), zero, {Format::f16}, true).has_value());
  // Ones stop at 2048, and there the bound's time stops too.
  const auto stuck = sum_error(*seq_order(), Integer("1000000000000"), one, zero, {Format::f16}, true);
  EXPECT_TRUE(stuck.has_value());
}

TEST(SumError, CoversAdverseTermsAndIsNearThem) {
  for (const Order* order : {seq_order(), strided(32), tree(256)})
    for (const bool upwards : {false, true}) {
      AdverseSum adverse;
      adverse.order = order;
      adverse.count = 256;
      adverse.upwards = upwards;
      const std::vector<double> terms = adverse_terms(adverse);
      ASSERT_EQ(terms.size(), 256U);
      Builder b;
      b.input("x", {256}).define("s", {}, over(256, [](Term k) { return real_load("x", {k}); }));
      formulation::Options options;
      options.default_order = order;
      Point point;
      point.inputs["x"] = tensor(Format::f32, {256}, terms);
      const Program f = formulation::formulate(b.program, options).program;
      const double computed = element_value(simulate(f, point).at("s"), 0)->get_d();
      double exact = 0;
      for (const double t : terms) exact += t;  // exact in double
      const double error = computed - exact;
      EXPECT_GT(upwards ? error : -error, 0) << to_string(*order);
      const double bound =
          high(sum_error(*order, 256, Interval(Rational(1)), Interval(), RoundingModel{}, true)->error);
      EXPECT_LE(std::fabs(error), bound) << to_string(*order);
      EXPECT_GE(std::fabs(error) * 2.5, bound) << to_string(*order);
    }
}

// The model itself, run: products cut off below the largest term, the block's sum rounded toward zero.
double on_tensor_core(const TensorCore& model, const std::vector<double>& products) {
  double accumulator = 0;
  for (std::size_t from = 0; from < products.size(); from += static_cast<std::size_t>(model.products)) {
    std::vector<double> terms{accumulator};
    for (std::size_t k = from; k < std::min(products.size(), from + static_cast<std::size_t>(model.products));
         ++k)
      terms.push_back(products[k]);
    double largest = 0;
    for (const double t : terms) largest = std::max(largest, std::fabs(t));
    if (largest == 0) continue;
    const double unit = std::ldexp(1.0, std::ilogb(largest) - 23 - static_cast<int>(model.extra_bits));
    double sum = 0;
    for (const double t : terms) sum += std::trunc(t / unit) * unit;
    if (sum == 0) {
      accumulator = 0;
      continue;
    }
    const double last = std::ldexp(1.0, std::ilogb(sum) - 23);
    accumulator = std::trunc(sum / last) * last;
  }
  return accumulator;
}

TEST(TensorCores, TheModelStaysInsideItsBoundAndIsBiased) {
  std::mt19937_64 random(3);
  for (const TensorCore& model : tensor_cores())
    for (const bool positive : {false, true}) {
      std::uniform_real_distribution<double> uniform(positive ? 0.5 : -1, 1);
      for (int trial = 0; trial < 20; ++trial) {
        std::vector<double> products(512);
        double exact = 0;
        for (double& p : products) {
          p = std::ldexp(std::nearbyint(uniform(random) * 1024), -10);
          exact += p;
        }
        const auto bound = tensor_core_error(model, 512, Interval(Rational(1)));
        ASSERT_TRUE(bound.has_value());
        const double error = std::fabs(on_tensor_core(model, products) - exact);
        EXPECT_LE(error, high(bound->absolute)) << model.name;
        if (positive) {
          EXPECT_LE(error, high(bound->relative) * exact + high(bound->rest)) << model.name;
        }
      }
    }
}

Program half_dot(long n, const Order* order) {
  Builder b;
  b.input("x", {n}, Format::f16).input("w", {n}, Format::f16);
  b.define("d", {}, over(static_cast<std::size_t>(n), [](Term k) {
             return apply(Op::mul, {real_load("x", {k}), real_load("w", {k})});
           }));
  formulation::Formulation f = formulation::formulate(b.program);
  Program out = f.program;
  out.definitions[0].body = rewrite(out.definitions[0].body, [&](Term node) {
    if (node->kind != Kind::fold) return node;
    FoldParts parts = open(node);
    parts.order = order;
    parts.right_states = {fresh_variable("t", parts.states[0]->sort)};
    parts.combine = {operation(Op::add, {parts.states[0], parts.right_states[0]}, parts.states[0]->sort,
                               Rounding::nearest)};
    return calculus::fold(parts);
  });
  return out;
}

TEST(TensorCores, AreAnAssumptionOfTheBound) {
  const auto result = [](const char* model) {
    const Program p = half_dot(512, make_order({Order::Kind::mma, nullptr, nullptr, nullptr, model}));
    const contract::Contract box = boxes(p, -1, 1);
    return analyse({p, box, nullptr, nullptr, nullptr, nullptr}, Pass::composed).at("d");
  };
  const DefinitionResult h100 = result("h100-f16");
  ASSERT_TRUE(h100.value.has_value()) << (h100.failure ? h100.failure->message : "");
  EXPECT_EQ(h100.theorems.count("tensor-core"), 1U);
  ASSERT_EQ(h100.assumptions.size(), 1U);
  EXPECT_EQ(h100.assumptions.begin()->rfind("tensor-core:h100-f16:", 0), 0U);
  // A model for other operands, or none at all, proves nothing.
  for (const char* other : {"h100-f8", "x100-f16"}) {
    const DefinitionResult r = result(other);
    EXPECT_FALSE(r.value.has_value()) << other;
    EXPECT_EQ(r.failure->kind, Failure::Kind::unsupported) << other;
  }
}

TEST(Accuracy, ExactAtZeroIsWhatTheFunctionDoes) {
  std::size_t checked = 0;
  for (const Accuracy& row : accuracy_table()) {
    if (!row.exact_at_zero) continue;
    ++checked;
    Builder b;
    b.input("x", {1}).define("y", {1}, apply(row.op, {real_load("x", {axis(0)})}));
    Point point;
    point.inputs["x"] = tensor(row.format, {1}, {0});
    const Program f = formulation::formulate(b.program).program;
    EXPECT_TRUE(Reference(b.program, point)
                    .element("y", {0})
                    .real->contains(*element_value(simulate(f, point).at("y"), 0)))
        << row.function;
  }
  EXPECT_EQ(checked, 1U);
}

// ---- online softmax

// The rescaled sum; `wrong`: rescaled by the new maximum less the old one, which overflows and means nothing.
Program online(long n, bool wrong) {
  Builder b;
  b.input("x", {n});
  const auto x = [](Term k) { return real_load("x", {k}); };
  b.define("m", {}, max_over(static_cast<std::size_t>(n), x));
  FoldParts parts;
  parts.variable = fresh_variable("k");
  parts.extent = integer(n);
  parts.guard = truth(true);
  parts.order = any_order();
  parts.states = {fresh_variable("m", Sort::real()), fresh_variable("s", Sort::real())};
  parts.init = {extreme(-1), real(0)};
  const Term m = parts.states[0], running = apply(Op::max, {m, x(parts.variable)});
  const Term shift = wrong ? apply(Op::sub, {running, m}) : apply(Op::sub, {m, running});
  parts.step = {running, apply(Op::add, {apply(Op::mul, {parts.states[1], apply(Op::exp, {shift})}),
                                         apply(Op::exp, {apply(Op::sub, {x(parts.variable), running})})})};
  b.define("s", {}, calculus::fold(parts, 1));
  b.define("y", {n},
           apply(Op::div,
                 {apply(Op::exp, {apply(Op::sub, {x(axis(0)), real_load("m", {})})}), real_load("s", {})}));
  return b.program;
}

TEST(OnlineSoftmax, IsProved) {
  const Program p = online(256, false);
  const Admitted a = admit(p, with_tolerance(boxes(p, -10, 10), Rational(1, 5000)));
  for (const Obligation& o : a.list)
    EXPECT_EQ(o.outcome.state, State::proved) << o.id << ": " << o.outcome.detail;
}

TEST(OnlineSoftmax, RescaledTheWrongWayIsNotProved) {
  const Program p = online(256, true);
  const Admitted a = admit(p, with_tolerance(boxes(p, -10, 10), Rational(1, 5000)));
  EXPECT_NE(a.of("tolerance/y/model").state, State::proved) << a.of("tolerance/y/model").detail;
}

TEST(OnlineSoftmax, ATooNarrowToleranceIsNotProved) {
  const Program p = online(256, false);
  const Admitted a = admit(p, with_tolerance(boxes(p, -10, 10), exact_rational(std::ldexp(1.0, -26))));
  EXPECT_EQ(a.of("tolerance/y/model").state, State::refuted) << a.of("tolerance/y/model").detail;
}

}  // namespace
}  // namespace hallmark::numerics
