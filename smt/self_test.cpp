#include "smt/solver.h"

namespace hallmark::smt {
namespace {

std::vector<QueryText> make_self_test() {
  Arena a;
  const Term x = a.integer_variable("x"), y = a.integer_variable("y"), p = a.variable("p", Sort::boolean());
  const Function* f = a.declare("f", {Sort::integer()}, Sort::integer());
  const Term fx = a.apply(f, {x}), fy = a.apply(f, {y});
  Query linear;  // 3x + 1 <= 2y and 2y <= 3x + 1 make 2y = 3x + 1: true; = 3x: false
  linear.hypotheses = {{"low", less_equal(add(multiply(3, x), 1), multiply(2, y))},
                       {"high", less_equal(multiply(2, y), add(multiply(3, x), 1))}};
  linear.goal = equal(multiply(2, y), add(multiply(3, x), 1));
  linear.mutants = {equal(multiply(2, y), multiply(3, x))};
  Query congruence;  // x = y gives f(x) = f(y), and not f(x) = x
  congruence.hypotheses = {{"equal", conjunction(equal(x, y), disjunction(p, negation(p)))}};
  congruence.goal = equal(fx, fy);
  congruence.mutants = {equal(fx, x)};
  Query division;  // 0 <= x < 12 gives x div 4 < 3, and not x div 4 < 2
  division.hypotheses = {{"range", in_range(x, a.integer(0), a.integer(12))}};
  division.goal = less(floor_div(x, a.integer(4)), 3);
  division.mutants = {less(floor_div(x, a.integer(4)), 2)};
  std::vector<QueryText> out;
  for (const Query& q : {linear, congruence, division}) {
    out.push_back(mutated_goal_texts(q, false).front());
    out.push_back(goal_text(q));
    out.push_back(hypotheses_text(q, false));
  }
  return out;
}

}  // namespace

const std::vector<QueryText>& self_test() {
  static const std::vector<QueryText> texts = make_self_test();
  return texts;
}

}  // namespace hallmark::smt
