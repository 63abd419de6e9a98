// Time per small linear query in a persistent process: printed, and bounded generously.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "base/process.h"
#include "tests/smt/programs.h"

namespace hallmark::smt {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begun) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
}

// Processor time of children that have ended, in milliseconds; other load on the machine does not count.
double children() {
  rusage use{};
  ::getrusage(RUSAGE_CHILDREN, &use);
  return 1e3 * static_cast<double>(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
         1e-3 * static_cast<double>(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

// Guarded flat indices, as kernels have them.
std::vector<Query> kernel_like(Arena& a, long count) {
  const Term t = a.integer_variable("t"), b = a.integer_variable("b"), m = a.integer_variable("m"),
             n = a.integer_variable("n"), i = a.integer_variable("i");
  const Function* x = a.declare("x", {Sort::integer()}, Sort::integer());
  std::vector<Query> out;
  for (long k = 0; k < count; ++k) {
    Query q;
    q.hypotheses = {{"thread", in_range(t, a.integer(0), a.integer(256))},
                    {"block", in_range(b, a.integer(0), m)},
                    {"flat", equal(i, add(multiply(256, b), t))},
                    {"size", less_equal(multiply(256, m), n)}};
    q.goal = a.conjunction({greater_equal(add(i, k), k), less(add(i, k % 7), add(n, k % 7)),
                            equal(a.apply(x, {i}), a.apply(x, {add(multiply(256, b), t)}))});
    q.mutants = {less(add(i, k + 1), n)};
    out.push_back(q);
  }
  return out;
}

TEST(Speed, SmallLinearQueries) {
  if (!find_tool("z3") || !find_tool("cvc5")) GTEST_SKIP() << "needs z3 and cvc5";
  Arena arena;
  constexpr long count = 500;
  const std::vector<Query> queries = kernel_like(arena, count);
  std::vector<QueryText> texts;
  auto begun = Clock::now();
  for (const Query& q : queries) texts.push_back(goal_text(q));
  fmt::print("printing: {:.3f} ms a query\n", since(begun) / count);
  for (const SolverProgram& program : {SolverProgram::z3(), SolverProgram::cvc5()}) {
    const double before = children();
    {
      Solver solver(program, {}, 0);
      begun = Clock::now();
      EXPECT_TRUE(solver.ask(texts[0], false).is_unsat());
      fmt::print("{}: start, self-test and first query {:.1f} ms\n", program.name, since(begun));
      begun = Clock::now();
      for (const QueryText& text : texts) EXPECT_TRUE(solver.ask(text, false).is_unsat());
      fmt::print("{}: {:.2f} ms a query by the clock\n", program.name, since(begun) / count);
    }
    const double each = (children() - before) / count;
    fmt::print("{}: {:.2f} ms a query of processor time, start included\n", program.name, each);
    EXPECT_LT(each, 15);
  }
  Portfolio p;
  begun = Clock::now();
  const std::vector<Decision> all = p.decide_all(queries);
  fmt::print("both, three queries each: {:.2f} ms a claim\n", since(begun) / count);
  for (const Decision& d : all) EXPECT_EQ(d.outcome.state, State::proved) << d.outcome.detail;
  begun = Clock::now();
  for (const Query& q : queries) EXPECT_TRUE(p.seems_to_hold(q));
  fmt::print("probe: {:.2f} ms a query\n", since(begun) / count);
}

}  // namespace
}  // namespace hallmark::smt
