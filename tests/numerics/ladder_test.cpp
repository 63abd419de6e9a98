// Three ways to one number, in order: the closed form of a reduction, the bound of the expression tool on the
// same reduction written out, the error of a concrete input. theorem >= tool >= witness, at n = 2, 3, 4.
#include <fmt/format.h>

#include "numerics/expression/fpcore.h"
#include "numerics/expression/report.h"
#include "support.h"

namespace hallmark::numerics {
namespace {

using namespace testing;

Term x_at(Term k) {
  return real_load("x", {k});
}

formulation::Options sequential(bool fused) {
  formulation::Options options;
  options.fused_multiply_add = fused;
  return options;
}

Rational theorem(const Program& exact, const Rational& low, const Rational& high,
                 const formulation::Options& options) {
  const formulation::Formulation f = formulation::formulate(exact, options);
  const contract::Contract box = boxes(exact, low, high);
  const ProgramResult result =
      analyse({f.program, box, &f.constants, nullptr, nullptr, nullptr}, Pass::composed);
  const DefinitionResult& last = result.at(f.program.outputs.front());
  EXPECT_TRUE(last.value.has_value()) << (last.failure ? last.failure->message : "");
  return last.value ? last.value->absolute.exact_high() : Rational(0);
}

std::string ranges(const std::string& stem, int n, const std::string& low, const std::string& high) {
  std::string out;
  for (int i = 0; i < n; ++i) out += fmt::format(" (<= {} {}{} {})", low, stem, i, high);
  return out;
}
std::string names(const std::string& stem, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += fmt::format(" {}{}", stem, i);
  return out;
}

// The tool's bound with its witness; the ladder holds and the greatest step is not above `most`.
void expect_ladder(const Rational& theorem, const std::string& core, const Rational& most,
                   const Rational& call_ulps = 1) {
  ExpressionModel model;
  model.inputs_rounded = false;
  model.call_ulps = call_ulps;
  WitnessSearch search;
  search.samples = 4000;
  const ExpressionReport report = bound_expression(read_fpcores(core, "t.fpcore").at(0), model, {}, search);
  ASSERT_TRUE(report.proved) << core << ": " << report.reason;
  ASSERT_TRUE(report.witness.has_value()) << core;
  // A search that ended before it closed in is no measure; the greatest sum at a point is, from below.
  const Rational tool = report.search.exhausted ? exact_rational(report.search.at_points) : report.bound;
  EXPECT_GE(theorem, tool * Rational(999999, 1000000)) << core;
  EXPECT_GE(report.bound, report.witness->error) << core;
  EXPECT_LE(theorem, most * report.witness->error)
      << core << ": " << theorem.get_d() << " " << report.bound.get_d() << " "
      << report.witness->error.get_d();
}

TEST(Ladder, Sums) {
  for (int n = 2; n <= 4; ++n) {
    Builder b;
    b.input("x", {n}).define("s", {}, over(static_cast<std::size_t>(n), x_at));
    std::string sum = "x0";
    for (int i = 1; i < n; ++i) sum = fmt::format("(+ {} x{})", sum, i);
    expect_ladder(theorem(b.program, -1, 1, sequential(false)),
                  fmt::format("(FPCore ({}) :precision binary32 :pre (and{}) {})", names("x", n),
                              ranges("x", n, "-1", "1"), sum),
                  Rational(5, 2));
  }
}

TEST(Ladder, DotProductsWithAndWithoutContraction) {
  for (int n = 2; n <= 4; ++n)
    for (const bool fused : {false, true}) {
      Builder b;
      b.input("x", {n}).input("y", {n}).define("d", {}, over(static_cast<std::size_t>(n), [](Term k) {
                                                 return apply(Op::mul, {x_at(k), real_load("y", {k})});
                                               }));
      std::string sum = fused ? "(* x0 y0)" : "(* x0 y0)";
      for (int i = 1; i < n; ++i)
        sum =
            fused ? fmt::format("(fma x{0} y{0} {1})", i, sum) : fmt::format("(+ {1} (* x{0} y{0}))", i, sum);
      expect_ladder(theorem(b.program, -1, 1, sequential(fused)),
                    fmt::format("(FPCore ({}{}) :precision binary32 :pre (and{}{}) {})", names("x", n),
                                names("y", n), ranges("x", n, "-1", "1"), ranges("y", n, "-1", "1"), sum),
                    Rational(7, 2));
    }
}

TEST(Ladder, ShiftedSoftmax) {
  for (int n = 2; n <= 4; ++n) {
    const std::size_t size = static_cast<std::size_t>(n);
    Builder b;
    b.input("x", {n});
    b.define("m", {}, max_over(size, x_at));
    b.define("e", {n}, apply(Op::exp, {apply(Op::sub, {x_at(axis(0)), real_load("m", {})})}));
    b.define("s", {}, over(size, [](Term k) { return real_load("e", {k}); }));
    b.define("y", {n}, apply(Op::div, {real_load("e", {axis(0)}), real_load("s", {})}));
    std::string most = "x0", sum = "(exp (- x0 m))";
    for (int i = 1; i < n; ++i) {
      most = fmt::format("(fmax {} x{})", most, i);
      sum = fmt::format("(+ {} (exp (- x{} m)))", sum, i);
    }
    // The function of the formulation is assumed within one unit.
    expect_ladder(
        theorem(b.program, -2, 2, sequential(false)),
        fmt::format("(FPCore ({}) :precision binary32 :pre (and{}) (let* ((m {})) (/ (exp (- x0 m)) {})))",
                    names("x", n), ranges("x", n, "-2", "2"), most, sum),
        Rational(10), 1);
  }
}

TEST(Ladder, TwoPassVariance) {
  for (int n = 2; n <= 4; ++n) {
    const std::size_t size = static_cast<std::size_t>(n);
    Builder b;
    b.input("x", {n});
    b.define("m", {}, apply(Op::div, {over(size, x_at), real(n)}));
    b.define("v", {},
             apply(Op::div, {over(size,
                                  [](Term k) {
                                    const Term d = apply(Op::sub, {x_at(k), real_load("m", {})});
                                    return apply(Op::mul, {d, d});
                                  }),
                             real(n)}));
    std::string sum = "x0", squares = "(* (- x0 m) (- x0 m))";
    for (int i = 1; i < n; ++i) {
      sum = fmt::format("(+ {} x{})", sum, i);
      squares = fmt::format("(+ {0} (* (- x{1} m) (- x{1} m)))", squares, i);
    }
    expect_ladder(
        theorem(b.program, -1, 1, sequential(false)),
        fmt::format("(FPCore ({}) :precision binary32 :pre (and{}) (let* ((m (/ {} {}))) (/ {} {})))",
                    names("x", n), ranges("x", n, "-1", "1"), sum, n, squares, n),
        Rational(25));
  }
}

TEST(Ladder, SumsInPairs) {
  Builder b;
  b.input("x", {4}).define("s", {}, over(4, x_at));
  formulation::Options pairs;
  pairs.default_order = make_order({Order::Kind::tree, integer(4L), nullptr, nullptr, {}});
  expect_ladder(theorem(b.program, -1, 1, pairs),
                fmt::format("(FPCore ({}) :precision binary32 :pre (and{}) (+ (+ x0 x1) (+ x2 x3)))",
                            names("x", 4), ranges("x", 4, "-1", "1")),
                Rational(3, 2));
  // Two blocks of two, and two lanes: the same additions in other places.
  pairs.default_order = make_order({Order::Kind::blocked, integer(2L), seq_order(), seq_order(), {}});
  expect_ladder(theorem(b.program, -1, 1, pairs),
                fmt::format("(FPCore ({}) :precision binary32 :pre (and{}) (+ (+ x0 x1) (+ x2 x3)))",
                            names("x", 4), ranges("x", 4, "-1", "1")),
                Rational(3, 2));
  pairs.default_order = make_order({Order::Kind::strided, integer(2L), seq_order(), nullptr, {}});
  expect_ladder(theorem(b.program, -1, 1, pairs),
                fmt::format("(FPCore ({}) :precision binary32 :pre (and{}) (+ (+ x0 x2) (+ x1 x3)))",
                            names("x", 4), ranges("x", 4, "-1", "1")),
                Rational(3, 2));
}

TEST(Ladder, Norms) {
  for (const bool centred : {false, true})
    for (int n = 2; n <= 4; ++n) {
      const std::size_t size = static_cast<std::size_t>(n);
      const auto part = [&](Term k) {
        return centred ? apply(Op::sub, {x_at(k), real_load("m", {})}) : x_at(k);
      };
      Builder b;
      b.input("x", {n});
      if (centred) b.define("m", {}, apply(Op::div, {over(size, x_at), real(n)}));
      b.define("v", {},
               apply(Op::div, {over(size,
                                    [&](Term k) {
                                      return apply(Op::mul, {part(k), part(k)});
                                    }),
                               real(n)}));
      b.define(
          "y", {n},
          apply(Op::div,
                {part(axis(0)),
                 apply(Op::sqrt, {apply(Op::add, {real_load("v", {}), real_constant(Rational(1, 4))})})}));
      std::string sum = "x0", squares;
      for (int i = 0; i < n; ++i) {
        if (i > 0) sum = fmt::format("(+ {} x{})", sum, i);
        const std::string d = centred ? fmt::format("(- x{} m)", i) : fmt::format("x{}", i);
        squares = i == 0 ? fmt::format("(* {0} {0})", d) : fmt::format("(+ {1} (* {0} {0}))", d, squares);
      }
      expect_ladder(theorem(b.program, -1, 1, sequential(false)),
                    fmt::format("(FPCore ({}) :precision binary32 :pre (and{}) (let* ((m (/ {} {}))) (/ {} "
                                "(sqrt (+ (/ {} {}) 0.25)))))",
                                names("x", n), ranges("x", n, "-1", "1"), sum, n, centred ? "(- x0 m)" : "x0",
                                squares, n),
                    Rational(25));
    }
}

TEST(Ladder, LogarithmsOfSumsOfExponentials) {
  for (int n = 2; n <= 4; ++n) {
    const std::size_t size = static_cast<std::size_t>(n);
    Builder b;
    b.input("x", {n}).define("m", {}, max_over(size, x_at));
    b.define("s", {}, over(size, [](Term k) {
               return apply(Op::exp, {apply(Op::sub, {x_at(k), real_load("m", {})})});
             }));
    b.define("y", {}, apply(Op::add, {apply(Op::log, {real_load("s", {})}), real_load("m", {})}));
    std::string most = "x0", sum = "(exp (- x0 m))";
    for (int i = 1; i < n; ++i) {
      most = fmt::format("(fmax {} x{})", most, i);
      sum = fmt::format("(+ {} (exp (- x{} m)))", sum, i);
    }
    expect_ladder(theorem(b.program, -2, 2, sequential(false)),
                  fmt::format("(FPCore ({}) :precision binary32 :pre (and{}) (let* ((m {})) (+ (log {}) m)))",
                              names("x", n), ranges("x", n, "-2", "2"), most, sum),
                  Rational(10));
  }
}

// The sum is rescaled whenever the maximum grows; where it does not, by 1.
TEST(Ladder, RescaledSums) {
  for (int n = 2; n <= 3; ++n) {
    Builder b;
    b.input("x", {n}).define("m", {}, max_over(static_cast<std::size_t>(n), x_at));
    FoldParts parts;
    parts.variable = fresh_variable("k");
    parts.extent = integer(static_cast<long>(n));
    parts.guard = truth(true);
    parts.order = any_order();
    parts.states = {fresh_variable("m", Sort::real()), fresh_variable("s", Sort::real())};
    parts.init = {extreme(-1), real(0)};
    const Term m = parts.states[0], running = apply(Op::max, {m, x_at(parts.variable)});
    parts.step = {
        running,
        apply(Op::add, {apply(Op::mul, {parts.states[1], apply(Op::exp, {apply(Op::sub, {m, running})})}),
                        apply(Op::exp, {apply(Op::sub, {x_at(parts.variable), running})})})};
    b.define("s", {}, calculus::fold(parts, 1));
    b.define("y", {n},
             apply(Op::div, {apply(Op::exp, {apply(Op::sub, {x_at(axis(0)), real_load("m", {})})}),
                             real_load("s", {})}));
    std::string text = "(let* ((m0 x0) (s0 1)";
    for (int i = 1; i < n; ++i)
      text += fmt::format(
          " (m{1} (fmax m{0} x{1})) (s{1} (+ (* s{0} (exp (- m{0} m{1}))) (exp (- x{1} m{1}))))", i - 1, i);
    text += fmt::format(") (/ (exp (- x0 m{0})) s{0}))", n - 1);
    expect_ladder(theorem(b.program, -2, 2, sequential(false)),
                  fmt::format("(FPCore ({}) :precision binary32 :pre (and{}) {})", names("x", n),
                              ranges("x", n, "-2", "2"), text),
                  Rational(12));
  }
}

}  // namespace
}  // namespace hallmark::numerics
