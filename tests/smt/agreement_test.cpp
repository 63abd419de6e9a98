// Random small formulas: the evaluator, constant folding and both solvers must read the operations alike.
#include <gtest/gtest.h>

#include <random>

#include "base/process.h"
#include "tests/smt/programs.h"

namespace hallmark::smt {
namespace {

class Generator {
 public:
  Generator(Arena& arena, unsigned seed) : a_(arena), random_(seed) {}

  Term number(int depth) {
    if (depth == 0 || pick(5) == 0)
      return pick(2) == 0 ? a_.integer(static_cast<long>(pick(15)) - 7) : variable();
    const Term x = number(depth - 1), y = number(depth - 1);
    switch (pick(7)) {
      case 0:
        return add(x, y);
      case 1:
        return negate(x);
      case 2:
        return multiply(static_cast<long>(pick(7)) - 3, x);
      case 3:
        return div(x, a_.integer(divisor()));
      case 4:
        return mod(x, a_.integer(divisor()));
      case 5:
        return total_floor_div(x, a_.integer(divisor()));
      default:
        return ite(truth(depth - 1), x, y);
    }
  }

  Term truth(int depth) {
    if (depth == 0) return a_.variable("p", Sort::boolean());
    switch (pick(6)) {
      case 0:
        return negation(truth(depth - 1));
      case 1:
        return conjunction(truth(depth - 1), truth(depth - 1));
      case 2:
        return implication(truth(depth - 1), truth(depth - 1));
      case 3:
        return less(number(depth - 1), number(depth - 1));
      case 4:
        return equal(number(depth - 1), number(depth - 1));
      default:
        return a_.distinct({number(depth - 1), number(depth - 1), variable()});
    }
  }

  Term bits(int depth) {
    if (depth == 0)
      return pick(3) == 0 ? a_.bit_vector(pick(16), 4)
                          : a_.variable(pick(2) ? "u" : "v", Sort::bit_vector(4));
    static const Op ops[] = {Op::bv_add,
                             Op::bv_multiply,
                             Op::bv_and,
                             Op::bv_or,
                             Op::bv_xor,
                             Op::bv_shift_left,
                             Op::bv_shift_right,
                             Op::bv_shift_right_arithmetic,
                             Op::bv_unsigned_divide,
                             Op::bv_unsigned_remainder};
    const Term x = bits(depth - 1), y = bits(depth - 1);
    switch (pick(4)) {
      case 0:
        return bv_extract(bv_extend(x, 3, pick(2) == 0), 6, 3);
      case 1:
        return bv_extract(a_.make(Op::bv_concat, {x, y}), 5, 2);
      default:
        return bv(ops[pick(std::size(ops))], x, y);
    }
  }

  unsigned pick(std::size_t n) { return static_cast<unsigned>(random_() % n); }

 private:
  Term variable() {
    static const char* names[] = {"x", "y", "z"};
    return a_.integer_variable(names[pick(3)]);
  }
  long divisor() {
    const long d = static_cast<long>(pick(9)) - 4;
    return d == 0 ? 5 : d;
  }
  Arena& a_;
  std::mt19937 random_;
};

// Pins every symbol; what the formula then is, evaluation says exactly, and the solver must agree.
void check_pinned(Solver& solver, Arena& arena, Term formula, Generator& g) {
  Assignment assignment;
  std::vector<Hypothesis> all;
  for (const Term t : subterms({formula})) {
    if (!t.is_variable()) continue;
    const long value = t.sort().is_boolean()      ? g.pick(2)
                       : t.sort().is_bit_vector() ? g.pick(16)
                                                  : g.pick(21) - 10L;
    const Value v{t.sort(), value};
    assignment.variables[t.function()->name] = v;
    all.push_back({"", equal(t, constant(arena, v))});
  }
  const std::optional<bool> holds = Evaluator(assignment).holds(formula);
  ASSERT_TRUE(holds.has_value()) << to_smtlib(formula);
  Substitution replacements;
  for (const auto& [name, v] : assignment.variables)
    replacements[arena.variable(name, v.sort)] = constant(arena, v);
  const Term folded = substitute(formula, replacements);
  EXPECT_TRUE(*holds ? folded.is_true() : folded.is_false()) << to_smtlib(formula);
  all.push_back({"", formula});
  const QueryText text = print_assertions(Purpose::hypotheses, "", all, "sat");
  const Answer answer = solver.ask(text, false);
  ASSERT_NE(answer.kind, Answer::Kind::failed) << answer.raw << text.text;
  EXPECT_EQ(answer.is_sat(), *holds) << text.text;
}

class Agreement : public testing::TestWithParam<const char*> {};

TEST_P(Agreement, EvaluatorFoldingAndSolverAgree) {
  const SolverProgram program = std::string(GetParam()) == "z3" ? SolverProgram::z3() : SolverProgram::cvc5();
  if (!find_tool(program.program)) GTEST_SKIP() << program.name << " is not installed";
  Solver solver(program, {}, 0);
  Arena arena;
  Generator g(arena, 20261129);
  for (int i = 0; i < 60; ++i) {
    const Term formula = g.truth(4);
    check_pinned(solver, arena, formula, g);
    const Answer free = solver.ask(print_assertions(Purpose::hypotheses, "", {{"", formula}}, "sat"), true);
    const bool contradicted = free.is_sat() && confirmed({formula}, free.model) == false;
    EXPECT_FALSE(contradicted) << to_smtlib(formula);
  }
  for (int i = 0; i < 40; ++i) {
    const Term x = g.bits(3), y = g.bits(3);
    check_pinned(solver, arena, i % 2 == 0 ? equal(x, y) : bv(Op::bv_signed_less, x, y), g);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Agreement, testing::Values("z3", "cvc5"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace hallmark::smt
