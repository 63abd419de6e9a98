// A standardised row: no element is further than sqrt(n) standard deviations from the mean. What only looks
// like one gets no such range.
#include <cmath>

#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

constexpr long n = 64;

Term x_at(Term k) {
  return real_load("x", {k});
}
Term square(Term a) {
  return apply(Op::mul, {a, a});
}
Term centred(Term k) {
  return apply(Op::sub, {x_at(k), real_load("mean", {})});
}
Term root_of(Term q) {
  return operation(Op::sqrt, {q}, Sort::real());
}

// mean, spread (what is under the root), y = numerator / sqrt(spread) or times its reciprocal.
Program rows(Term sum_of, Term numerator, bool reciprocal, Rational offset = Rational(1, 100000),
             long count = n) {
  Builder b;
  b.input("x", {n}).input("z", {n});
  b.define("mean", {}, apply(Op::div, {over(n, x_at), real(n)}));
  Term mean_square = apply(Op::div, {sum_of, real(count)});
  if (offset != 0) mean_square = apply(Op::add, {real_constant(offset), mean_square});
  b.define("spread", {}, mean_square);
  if (reciprocal) {
    b.define("r", {}, apply(Op::div, {real(1), root_of(real_load("spread", {}))}));
    b.define("y", {n}, apply(Op::mul, {real_load("r", {}), numerator}));
  } else {
    b.define("y", {n}, apply(Op::div, {numerator, root_of(real_load("spread", {}))}));
  }
  return b.program;
}

struct Ranges {
  double exact = 0, rounded = 0;  // greatest magnitudes of y
  bool used = false;
};

Ranges ranges(const Program& p, const formulation::Options& options = {}, Rational box = 1000) {
  const contract::Contract c = boxes(p, -box, box);
  Ranges out;
  const ProgramResult exact = analyse({p, c}, Pass::exact);
  EXPECT_TRUE(exact.at("y").value) << (exact.at("y").failure ? exact.at("y").failure->message : "");
  if (exact.at("y").value) out.exact = as_double(exact.at("y").value->exact.magnitude());
  const formulation::Formulation f = formulation::formulate(p, options);
  AnalysisInput input{f.program, c};
  input.constants = &f.constants;
  const ProgramResult rounded = analyse(input, Pass::local);
  EXPECT_TRUE(rounded.at("y").value);
  if (rounded.at("y").value) out.rounded = as_double(rounded.at("y").value->rounded.magnitude());
  out.used = rounded.at("y").theorems.contains("deviation-within-row");
  return out;
}

// The greatest |y| that executions of the formulation show: a spike, two spikes, tiny rows, random ones.
double executed(const Program& p, const formulation::Options& options) {
  const formulation::Formulation f = formulation::formulate(p, options);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> any(-1000, 1000);
  double greatest = 0;
  for (int run = 0; run < 200; ++run) {
    std::vector<double> x(n, 0.0);
    const double size = std::ldexp(1000.0, -(run % 50));
    if (run < 50)
      x[static_cast<std::size_t>(run) % n] = size;
    else if (run < 100)
      x[3] = size, x[5] = -size / 3;
    else
      for (double& v : x) v = any(random);
    Point point;
    point.inputs["x"] = tensor(Format::f32, {n}, x);
    point.inputs["z"] = tensor(Format::f32, {n}, x);
    const TensorData y = simulate(f.program, point).at("y");
    for (std::int64_t i = 0; i < n; ++i)
      if (const auto v = element_value(y, i)) greatest = std::max(greatest, std::fabs(v->get_d()));
  }
  return greatest;
}

TEST(Deviation, IsAtMostTheRootOfTheNumberOfElements) {
  for (const bool reciprocal : {false, true})
    for (const bool fused : {false, true}) {
      formulation::Options options;
      options.fused_multiply_add = fused;
      options.orders["spread"] = formulation::block_order(64);
      for (const bool about_mean : {false, true}) {
        const auto term = about_mean ? centred : x_at;
        const Program p = rows(over(n, [&](Term k) { return square(term(k)); }), term(axis(0)), reciprocal);
        const Ranges r = ranges(p, options);
        EXPECT_TRUE(r.used);
        EXPECT_LE(r.exact, 8.00001);
        EXPECT_LE(r.rounded, 8.0001);
        const double shown = executed(p, options);
        EXPECT_LE(shown, r.rounded);
        EXPECT_GT(shown, 7.8);
      }
    }
}

TEST(Deviation, GrowsWithAnotherCount) {
  // Divided by 4 n instead of n: the bound follows the divisor, not the row's length.
  const Program p =
      rows(over(n, [](Term k) { return square(x_at(k)); }), x_at(axis(0)), false, Rational(1, 100000), 4 * n);
  const Ranges r = ranges(p);
  EXPECT_TRUE(r.used);
  EXPECT_GT(r.rounded, 15.99);
  EXPECT_LE(executed(p, {}), r.rounded);
}

TEST(Deviation, IsNotClaimedOfWhatOnlyLooksLikeOne) {
  const auto squares = over(n, [](Term k) { return square(x_at(k)); });
  const auto others = over(n, [](Term k) { return square(real_load("z", {k})); });
  const auto products = over(n, [](Term k) { return apply(Op::mul, {x_at(k), real_load("z", {k})}); });
  const Term k = fresh_variable("k");
  // The first element is left out, and the numerator may be it.
  const Term guarded = sum(k, integer(n), square(x_at(k)), less(integer(0L), k));
  const auto shorter = over(n - 1, [](Term k) { return square(x_at(k)); });
  const auto doubled = apply(Op::mul, {x_at(axis(0)), real(2)});
  const std::vector<std::pair<std::string, Program>> faulty = {
      {"squares of another row", rows(others, x_at(axis(0)), false)},
      {"products that may cancel", rows(apply(Op::mul, {products, products}), x_at(axis(0)), false)},
      {"an element that no square belongs to", rows(guarded, x_at(axis(0)), false)},
      {"a row without its last element", rows(shorter, x_at(axis(0)), true)},
      {"twice the element", rows(squares, doubled, false)},
      {"another deviation than that of the squares", rows(squares, centred(axis(0)), true)},
  };
  for (const auto& [what, p] : faulty) {
    const Ranges r = ranges(p);
    EXPECT_FALSE(r.used) << what;
    EXPECT_GT(r.rounded, 100) << what;
  }
}

TEST(Deviation, NeedsRoundingsThatNeverLoseATerm) {
  // A sum that is flushed, or cut off by a tensor core, may be below one of its terms.
  const Program p = rows(over(n, [](Term k) { return square(x_at(k)); }), x_at(axis(0)), false);
  formulation::Options options;
  const formulation::Formulation f = formulation::formulate(p, options);
  const contract::Contract c = boxes(p, -1000, 1000);
  for (const bool flush : {false, true}) {
    Program changed = f.program;
    for (Definition& d : changed.definitions)
      d.body = rewrite(d.body, [&](Term node) {
        if (!flush || node->kind != Kind::operation || node->sort.kind != Sort::Kind::floating) return node;
        return operation(node->op, node->children, node->sort, node->rounding, true);
      });
    AnalysisInput input{changed, c};
    input.constants = &f.constants;
    EXPECT_EQ(analyse(input, Pass::local).at("y").theorems.contains("deviation-within-row"), !flush);
  }
}

TEST(Deviation, NeedsLanesThatAreAdded) {
  // The same order with lanes that are subtracted: the total may be below a part.
  const Program p = rows(over(n, [](Term k) { return square(x_at(k)); }), x_at(axis(0)), false);
  formulation::Options options;
  options.orders["spread"] = formulation::block_order(64);
  const formulation::Formulation f = formulation::formulate(p, options);
  const contract::Contract c = boxes(p, -1000, 1000);
  for (const bool subtracted : {false, true}) {
    Program changed = f.program;
    bool found = false;
    for (Definition& d : changed.definitions)
      d.body = rewrite(d.body, [&](Term node) {
        if (!subtracted || d.declaration.name != "spread" || node->kind != Kind::fold) return node;
        FoldParts parts = calculus::open(node);
        EXPECT_EQ(parts.combine.size(), 1u);
        found = true;
        parts.combine = {
            operation(Op::sub, {parts.states[0], parts.right_states[0]}, node->sort, Rounding::nearest)};
        return calculus::fold(parts);
      });
    EXPECT_EQ(found, subtracted);
    AnalysisInput input{changed, c};
    input.constants = &f.constants;
    const ProgramResult result = analyse(input, Pass::local);
    EXPECT_EQ(result.at("y").theorems.contains("deviation-within-row"), !subtracted);
  }
}

}  // namespace
}  // namespace hallmark::numerics
