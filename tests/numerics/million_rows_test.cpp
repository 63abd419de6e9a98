// HALLMARK_ROWS: rows of 1024 for the first case; the other cases are in proportion. Long: 10,000 rows, more
// than ten million output elements over formulations and formats, none outside of its proved bound.
//
// The exact values come from the C library in long double: what rests on them here is that a bound is kept,
// with room for their own error; where that room matters, the element is asked for once more with MPFI.
#include <cmath>
#include <functional>

#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;
using Real = long double;

Term mul(Term a, Term b) {
  return apply(Op::mul, {a, b});
}
Term sub(Term a, Term b) {
  return apply(Op::sub, {a, b});
}
Term div(Term a, Term b) {
  return apply(Op::div, {a, b});
}
Term x_at(Term k) {
  return real_load("x", {axis(0), k});
}
const Order* lanes(long count) {
  const Order* tree = make_order({Order::Kind::tree, integer(count), nullptr, nullptr, {}});
  return make_order({Order::Kind::strided, integer(count), tree, nullptr, {}});
}
const Order* split(long block) {
  return make_order({Order::Kind::blocked, integer(block), seq_order(), seq_order(), {}});
}

// Programs over `rows` rows of n elements with the output y; and what y is, row by row.
using RowValues = std::function<std::vector<Real>(const std::vector<Real>& x)>;
struct Family {
  Builder builder;
  RowValues exact;
};

Family softmax(long rows, long n, Format stored) {
  const std::size_t size = static_cast<std::size_t>(n);
  Builder b;
  b.input("x", {rows, n}, stored);
  b.define("m", {rows}, max_over(size, x_at));
  b.define("e", {rows, n}, apply(Op::exp, {sub(x_at(axis(1)), real_load("m", {axis(0)}))}));
  b.define("s", {rows}, over(size, [](Term k) { return real_load("e", {axis(0), k}); }));
  b.define("y", {rows, n}, div(real_load("e", {axis(0), axis(1)}), real_load("s", {axis(0)})));
  return {b, [](const std::vector<Real>& x) {
            const Real most = *std::max_element(x.begin(), x.end());
            std::vector<Real> out;
            Real total = 0;
            for (const Real v : x) {
              out.push_back(std::exp(v - most));
              total += out.back();
            }
            for (Real& v : out) v /= total;
            return out;
          }};
}
Family norm(long rows, long n, bool centred) {
  const std::size_t size = static_cast<std::size_t>(n);
  const Rational small(1, 100000);
  Builder b;
  b.input("x", {rows, n});
  if (centred) b.define("m", {rows}, div(over(size, x_at), real(n)));
  const auto part = [&](Term k) { return centred ? sub(x_at(k), real_load("m", {axis(0)})) : x_at(k); };
  b.define("v", {rows}, div(over(size, [&](Term k) { return mul(part(k), part(k)); }), real(n)));
  b.define("y", {rows, n},
           div(part(axis(1)),
               apply(Op::sqrt, {apply(Op::add, {real_load("v", {axis(0)}), real_constant(small)})})));
  return {b, [centred](const std::vector<Real>& x) {
            Real mean = 0, variance = 0;
            if (centred)
              for (const Real v : x) mean += v / static_cast<Real>(x.size());
            for (const Real v : x) variance += (v - mean) * (v - mean) / static_cast<Real>(x.size());
            std::vector<Real> out;
            for (const Real v : x) out.push_back((v - mean) / std::sqrt(variance + 1e-5L));
            return out;
          }};
}
Family gelu(long rows, long n) {
  Builder b;
  const Term x = x_at(axis(1));
  const Term e = apply(Op::erf, {mul(x, real_constant(Rational(7071, 10000)))});
  b.input("x", {rows, n});
  b.define("y", {rows, n}, mul(mul(x, real_constant(Rational(1, 2))), apply(Op::add, {real(1), e})));
  return {b, [](const std::vector<Real>& x) {
            std::vector<Real> out;
            for (const Real v : x) out.push_back(v / 2 * (1 + std::erf(v * 7071 / 10000)));
            return out;
          }};
}
// Each row by itself: products of neighbouring elements, added up.
Family squares(long rows, long n, Format stored) {
  Builder b;
  b.input("x", {rows, n}, stored);
  b.define("y", {rows}, over(static_cast<std::size_t>(n), [](Term k) { return mul(x_at(k), x_at(k)); }));
  return {b, [](const std::vector<Real>& x) {
            Real out = 0;
            for (const Real v : x) out += v * v;
            return std::vector<Real>{out};
          }};
}
Family total(long rows, long n, Format stored) {
  Builder b;
  b.input("x", {rows, n}, stored);
  b.define("y", {rows}, over(static_cast<std::size_t>(n), x_at));
  return {b, [](const std::vector<Real>& x) {
            Real out = 0;
            for (const Real v : x) out += v;
            return std::vector<Real>{out};
          }};
}

double element(std::mt19937_64& random, long pattern, long k, long n, double edge) {
  const double t = std::ldexp(static_cast<double>(random() >> 11), -53), s = 2 * t - 1;
  switch (pattern) {
    case 0:
      return s * edge;
    case 1:
      return random() % 2 == 0 ? edge : -edge;
    case 2:
      return 0.7 * edge;
    case 3:  // where the sum of exponentials stagnates
      return k == 0 ? 0.0 : std::max(-edge, -16.64);
    case 4:
      return edge * (2 * static_cast<double>(k) / static_cast<double>(n) - 1);
    case 5:
      return edge * (1 - std::ldexp(t, -20));
    case 6:
      return std::ldexp(s, -static_cast<int>(random() % 100));
    default: {  // nearly normal
      double sum = 0;
      for (int i = 0; i < 4; ++i) sum += std::ldexp(static_cast<double>(random() >> 11), -53) - 0.5;
      return std::clamp(sum * edge / 4, -edge, edge);
    }
  }
}

struct Counted {
  std::size_t elements = 0, outside = 0;
  double closest = 0;  // the greatest share of its bound that an error takes
};

// `blocks` times the family's rows.
Counted run(const Family& family, const formulation::Options& options, double edge, long blocks,
            const std::string& name) {
  const Program& exact = family.builder.program;
  const formulation::Formulation f = formulation::formulate(exact, options);
  const contract::Contract box = boxes(exact, exact_rational(-edge), exact_rational(edge));
  const AnalysisInput input{f.program, box, &f.constants, nullptr, nullptr, nullptr};
  const DefinitionResult result = analyse(input, Pass::composed).at("y");
  Counted out;
  EXPECT_TRUE(result.value && result.value->bounded)
      << name << (result.failure ? result.failure->message : "");
  if (!result.value || !result.value->bounded) return out;
  const Real absolute = mpfr_get_ld(result.value->absolute.high(), MPFR_RNDD),
             relative = mpfr_get_ld(result.value->relative.high(), MPFR_RNDD),
             rest = mpfr_get_ld(result.value->rest.high(), MPFR_RNDD);
  const Declaration& x = exact.inputs.at(0);
  const long rows = to_i64(*as_integer(x.extents[0])).value(), n = to_i64(*as_integer(x.extents[1])).value();
  std::mt19937_64 random(static_cast<std::uint64_t>(n) * 7 + options.storage.size());
  for (long block = 0; block < blocks; ++block) {
    std::vector<double> values;
    for (long r = 0; r < rows; ++r)
      for (long k = 0; k < n; ++k) values.push_back(element(random, (r + block) % 8, k, n, edge));
    Point point;
    point.inputs["x"] = tensor(x.format, {rows, n}, values);
    const TensorData held = point.inputs.at("x");
    const TensorData y = simulate(f.program, point).at("y");
    const long per_row = y.element_count() / rows;
    std::unique_ptr<Reference> confirm;
    for (long r = 0; r < rows; ++r) {
      std::vector<Real> row;
      Real size = 0;
      for (long k = 0; k < n; ++k) {
        row.push_back(element_value(held, r * n + k)->get_d());
        size += std::fabs(row.back());
      }
      const std::vector<Real> meant = family.exact(row);
      for (long k = 0; k < per_row; ++k) {
        ++out.elements;
        const auto computed = element_value(y, r * per_row + k);
        if (!computed) {
          ++out.outside;
          continue;
        }
        const Real value = meant[static_cast<std::size_t>(k)],
                   error = std::fabs(Real(computed->get_d()) - value);
        const Real allowed = std::min(absolute, relative * std::fabs(value) + rest);
        // What long double may be off by: some units for each of n steps.
        const Real own =
            static_cast<Real>(n + 64) * 0x1p-62L * (std::fabs(value) + (per_row == 1 ? size * 32 : 0)) +
            0x1p-120L;
        if (allowed > 0) out.closest = std::max(out.closest, static_cast<double>(error / allowed));
        if (error <= allowed - own) continue;
        // Once more, with MPFI.
        if (!confirm)
          confirm = std::make_unique<Reference>(exact, point, ReferenceOptions{.work_limit = 200'000'000});
        const ReferenceValue sure = confirm->element(
            "y", per_row == 1 ? std::vector<std::int64_t>{r} : std::vector<std::int64_t>{r, k});
        EXPECT_EQ(sure.kind, ReferenceValue::Kind::real) << name << sure.reason;
        if (sure.kind != ReferenceValue::Kind::real) continue;
        const Interval off = abs(Interval(*computed, sure.real->precision()) - *sure.real);
        const Interval mixed =
            result.value->relative.from_zero() * abs(*sure.real) + result.value->rest.from_zero();
        if (mpfr_lessequal_p(off.low(), result.value->absolute.high()) == 0 ||
            mpfr_lessequal_p(off.low(), mixed.high()) == 0) {
          ++out.outside;
          ADD_FAILURE() << name << " row " << r << " element " << k << ": error " << lower_text(off);
        }
      }
    }
  }
  std::printf("%-46s %9zu elements, %zu outside, the closest at %.3f of its bound\n", name.c_str(),
              out.elements, out.outside, out.closest);
  return out;
}

formulation::Options ordered(const Order* order, bool fused = true) {
  formulation::Options options;
  options.default_order = order;
  options.fused_multiply_add = fused;
  return options;
}

TEST(MillionRows, NoElementIsOutsideOfItsBound) {
  const long all = HALLMARK_ROWS;
  std::size_t elements = 0;
  const auto add = [&](const Family& family, const formulation::Options& options, double edge, long rows,
                       const std::string& name) {
    const Declaration& x = family.builder.program.inputs.at(0);
    const long block = to_i64(*as_integer(x.extents[0])).value();
    const Counted c = run(family, options, edge, std::max(1L, rows / block), name);
    EXPECT_EQ(c.outside, 0U) << name;
    elements += c.elements;
  };
  add(softmax(100, 1024, Format::f32), ordered(lanes(32)), 30, all, "softmax of 1024, f32, 32 lanes");
  add(softmax(50, 1024, Format::f32), ordered(seq_order()), 10, all / 20,
      "softmax of 1024, f32, in sequence");
  add(softmax(50, 128, Format::f16), ordered(lanes(32)), 10, all / 4, "softmax of 128, f16 inputs");
  add(softmax(50, 128, Format::bf16), ordered(lanes(32)), 10, all / 4, "softmax of 128, bf16 inputs");
  for (const Format stored : {Format::f16, Format::bf16}) {
    formulation::Options narrow = ordered(lanes(32));
    narrow.storage["y"] = stored;
    add(softmax(50, 64, Format::f32), narrow, 10, all / 4,
        "softmax of 64, y in " + std::string(name(stored)));
  }
  add(norm(50, 256, true), ordered(lanes(32), false), 4, all / 10, "layer norm of 256, two passes");
  add(norm(50, 256, false), ordered(lanes(32)), 4, all / 10, "RMS norm of 256");
  add(gelu(100, 256), ordered(seq_order()), 6, all / 5, "GELU, f32");
  for (const Format stored :
       {Format::f32, Format::f16, Format::bf16, Format::tf32, Format::f8e4m3, Format::f8e5m2}) {
    const std::string held(name(stored));
    add(squares(200, 64, stored), ordered(seq_order()), 2, all / 2, "dot of 64, " + held + ", fused");
    add(squares(200, 64, stored), ordered(split(16), false), 2, all / 2,
        "dot of 64, " + held + ", split in 4");
    add(total(200, 96, stored), ordered(lanes(32)), 2, all / 2, "sum of 96, " + held + ", 32 lanes");
    formulation::Options half = ordered(seq_order());
    half.compute = Format::f16;
    half.storage["y"] = Format::f16;
    if (storage_bits(stored) <= 16 && stored != Format::bf16)
      add(squares(200, 16, stored), half, 1, all / 2, "dot of 16, " + held + ", f16 accumulation");
  }
  std::printf("%zu elements\n", elements);
  EXPECT_GT(elements, static_cast<std::size_t>(all) * 1024);
}

}  // namespace
}  // namespace hallmark::numerics
