// The prover's arguments on claims built by hand; every claim is also executed on small instances, and each
// has a twin that is wrong. The oracle here starts one z3 for each question.
#include "rules/prover.h"

#include <gtest/gtest.h>

#include "base/process.h"
#include "rules/encode.h"
#include "rules/prove_rule.h"
#include "rules/refute.h"
#include "smt/query.h"

namespace hallmark::rules {
namespace {

using namespace calculus;

class OneShot : public Oracle {
 public:
  bool entails(const Facts& hypotheses, Term goal, const std::string&) override {
    if (goal == truth(true)) return true;
    smt::Arena arena;
    Encoder encoder(arena);
    smt::Query query;
    for (Term h : hypotheses) query.hypotheses.push_back({"", encoder.encode(h)});
    query.goal = encoder.encode(goal);
    const std::string text = smt::goal_text(query).text;
    const ProcessResult result = run_process({"z3", "-in", "rlimit=8000000", "-T:120"}, text);
    if (result.out.find("error") != std::string::npos) ADD_FAILURE() << result.out << text;
    return result.out == "unsat\n";
  }
};

const Sort real = Sort::real();
Term n(long value) {
  return integer(Integer(value));
}
Term M() {
  return symbol("M");
}
Term N() {
  return symbol("N");
}
Term K() {
  return symbol("K");
}

Rule rule(std::vector<std::string> symbols, std::vector<Declaration> tensors, std::vector<Term> extents,
          Term left, Term right, std::vector<Term> requirements = {}) {
  Rule r;
  r.name = "test";
  for (const std::string& s : symbols) r.symbols.push_back({s, 0, {}});
  r.tensors = std::move(tensors);
  r.requirements = std::move(requirements);
  Definition l{{"Y", Format::f32, extents}, {}, left, ""},
      right_side{{"Y", Format::f32, extents}, {}, right, ""};
  r.left = {l};
  r.right = {right_side};
  return r;
}

Equality prove(const Rule& r) {
  OneShot oracle;
  return prove_equal({r.symbols, r.requirements, left_result(r).extents, left_term(r), right_term(r), {}},
                     oracle);
}

void expect_true(const Rule& r, const std::string& strength) {
  const Equality result = prove(r);
  EXPECT_TRUE(result.shown) << result.failure;
  EXPECT_EQ(result.strength, strength);
  const Trials trials = try_instances(r);
  EXPECT_FALSE(trials.witness) << trials.witness->summary;
  EXPECT_GT(trials.instances, 5);
}

void expect_false(const Rule& r) {
  EXPECT_FALSE(prove(r).shown);
  EXPECT_TRUE(try_instances(r).witness);
}

Term A(Term i, Term j) {
  return load("A", {i, j}, real);
}
Term B(Term i, Term j) {
  return load("B", {i, j}, real);
}
Term C(Term i, Term j) {
  return load("C", {i, j}, real);
}
Term x(Term i) {
  return load("x", {i}, real);
}
Term y(Term i) {
  return load("y", {i}, real);
}
Declaration matrix(const char* name, Term r, Term c) {
  return {name, Format::f32, {r, c}};
}
Declaration row(const char* name, Term e) {
  return {name, Format::f32, {e}};
}
Term mul(Term a, Term b) {
  return apply(Op::mul, {a, b});
}
Term plus(Term a, Term b) {
  return apply(Op::add, {a, b});
}

template <typename F>
Term total(Term extent, F body) {
  const Term k = fresh_variable("k");
  return sum(k, extent, body(k));
}

TEST(Reals, MatmulIsAssociative) {
  const Term left = total(symbol("L"), [](Term l) {
    return mul(total(K(), [&](Term k) { return mul(A(axis(0), k), B(k, l)); }), C(l, axis(1)));
  });
  const Term right = total(K(), [](Term k) {
    return mul(A(axis(0), k), total(symbol("L"), [&](Term l) { return mul(B(k, l), C(l, axis(1))); }));
  });
  const std::vector<Declaration> tensors{matrix("A", M(), K()), matrix("B", K(), symbol("L")),
                                         matrix("C", symbol("L"), N())};
  expect_true(rule({"M", "K", "L", "N"}, tensors, {M(), N()}, left, right), "ring");
  const Term wrong = total(K(), [](Term k) {
    return mul(A(axis(0), k), total(symbol("L"), [&](Term l) { return mul(B(k, l), C(l, n(0))); }));
  });
  expect_false(rule({"M", "K", "L", "N"}, tensors, {M(), N()}, left, wrong));
}

TEST(AnyType, SumOverTheOtherAxisOfATranspose) {
  const Term left = total(K(), [](Term k) { return A(axis(0), k); });
  const Term right = total(K(), [](Term q) { return A(axis(0), q); });
  expect_true(rule({"M", "K"}, {matrix("A", M(), K())}, {M()}, left, right), "any-type");
}

TEST(Reals, SumOfAConcatenation) {
  const Term left =
      total(add(M(), N()), [](Term k) { return select(less(k, M()), x(k), y(subtract(k, M()))); });
  const Term right = plus(total(M(), [](Term k) { return x(k); }), total(N(), [](Term k) { return y(k); }));
  expect_true(rule({"M", "N"}, {row("x", M()), row("y", N())}, {}, left, right), "ring");
  const Term wrong = plus(total(M(), [](Term k) { return x(k); }),
                          total(N(), [](Term k) { return y(subtract(subtract(N(), k), n(1))); }));
  expect_true(rule({"M", "N"}, {row("x", M()), row("y", N())}, {}, left, wrong),
              "ring");  // a reversed sum is the same sum
  const Term lost =
      plus(total(M(), [](Term k) { return x(k); }), total(subtract(N(), n(1)), [](Term k) { return y(k); }));
  expect_false(rule({"M", "N"}, {row("x", M()), row("y", N())}, {}, left, lost, {less(n(0), N())}));
}

TEST(Reals, SplitKWithARaggedTail) {
  const Term b = symbol("B"), blocks = ceil_div(K(), b);
  const Term left = total(K(), [](Term k) { return x(k); });
  const Term s = fresh_variable("s"), t = fresh_variable("t");
  const Term index = add(multiply(s, b), t);
  const Term right = sum(s, blocks, sum(t, b, x(index), less(index, K())));
  expect_true(rule({"K", "B"}, {row("x", K())}, {}, left, right, {less(n(0), b)}), "ring");
  const Term s2 = fresh_variable("s"), t2 = fresh_variable("t");
  const Term floor = sum(s2, floor_div(K(), b), sum(t2, b, x(add(multiply(s2, b), t2))));
  expect_false(rule({"K", "B"}, {row("x", K())}, {}, left, floor, {less(n(0), b)}));
}

TEST(Reals, SoftmaxDoesNotNoticeAShiftOfItsRow) {
  const auto softmax = [](const std::function<Term(Term)>& f) {
    return apply(Op::div,
                 {apply(Op::exp, {f(axis(1))}), total(N(), [&](Term k) { return apply(Op::exp, {f(k)}); })});
  };
  const Term plain = softmax([](Term k) { return A(axis(0), k); });
  const Term shifted = softmax([](Term k) { return apply(Op::sub, {A(axis(0), k), x(axis(0))}); });
  expect_true(rule({"M", "N"}, {matrix("A", M(), N()), row("x", M())}, {M(), N()}, plain, shifted), "reals");
  const Term column = softmax([](Term k) { return apply(Op::sub, {A(axis(0), k), x(k)}); });
  expect_false(rule({"M", "N"}, {matrix("A", M(), N()), row("x", N())}, {M(), N()}, plain, column));
  const Term k = fresh_variable("k");
  const Term maximum = reduce(Op::max, extreme(-1), k, N(), A(axis(0), k));
  const Term safe = softmax([&](Term j) { return apply(Op::sub, {A(axis(0), j), maximum}); });
  expect_true(rule({"M", "N"}, {matrix("A", M(), N())}, {M(), N()}, plain, safe), "reals");
}

TEST(Reals, OnePassVariance) {
  const Term count = from_index(N(), real);
  const Term mean = apply(Op::div, {total(N(), [](Term k) { return x(k); }), count});
  const Term two_pass =
      apply(Op::div, {total(N(),
                            [&](Term k) {
                              return mul(apply(Op::sub, {x(k), mean}), apply(Op::sub, {x(k), mean}));
                            }),
                      count});
  const Term one_pass =
      apply(Op::sub,
            {apply(Op::div, {total(N(), [](Term k) { return mul(x(k), x(k)); }), count}), mul(mean, mean)});
  expect_true(rule({"N"}, {row("x", N())}, {}, two_pass, one_pass, {less(n(0), N())}), "reals");
  const Term unbiased =
      apply(Op::sub, {apply(Op::div, {total(N(), [](Term k) { return mul(x(k), x(k)); }), count}), mean});
  expect_false(rule({"N"}, {row("x", N())}, {}, two_pass, unbiased, {less(n(0), N())}));
}

TEST(Reals, DivisionNeedsANonzeroDivisor) {
  const Term left = apply(Op::div, {mul(x(axis(0)), y(axis(0))), y(axis(0))});
  expect_false(rule({"N"}, {row("x", N()), row("y", N())}, {N()}, left, x(axis(0))));
}

TEST(Reals, GatherAsAOneHotSum) {
  const Term left = A(subtract(subtract(M(), axis(0)), n(1)), axis(1));
  const Term right = total(M(), [](Term k) {
    return mul(select(equal(add(k, axis(0)), subtract(M(), n(1))), real_constant(1), real_constant(0)),
               A(k, axis(1)));
  });
  expect_true(rule({"M", "N"}, {matrix("A", M(), N())}, {M(), N()}, left, right), "ring");
}

TEST(Reals, MaximumOfAConcatenation) {
  const auto maximum = [](Term extent, const std::function<Term(Term)>& body) {
    const Term k = fresh_variable("k");
    return reduce(Op::max, extreme(-1), k, extent, body(k));
  };
  const Term left =
      apply(Op::max, {maximum(M(), [](Term k) { return x(k); }), maximum(N(), [](Term k) { return y(k); })});
  const Term right =
      apply(Op::max, {maximum(N(), [](Term k) { return y(k); }),
                      maximum(M(), [](Term k) { return x(subtract(subtract(M(), k), n(1))); })});
  expect_true(
      rule({"M", "N"}, {row("x", M()), row("y", N())}, {}, left, right, {less(n(0), M()), less(n(0), N())}),
      "ieee");
}

Rule associativity() {
  const Term left = total(symbol("L"), [](Term l) {
    return mul(total(K(), [&](Term k) { return mul(A(axis(0), k), B(k, l)); }), C(l, axis(1)));
  });
  const Term right = total(K(), [](Term k) {
    return mul(A(axis(0), k), total(symbol("L"), [&](Term l) { return mul(B(k, l), C(l, axis(1))); }));
  });
  return rule({"M", "K", "L", "N"},
              {matrix("A", M(), K()), matrix("B", K(), symbol("L")), matrix("C", symbol("L"), N())},
              {M(), N()}, left, right);
}

TEST(ProveRule, EndsInOneOfThreeStatesWithItsEvidence) {
  smt::Portfolio portfolio;
  const Obligation proved = prove_rule(associativity(), portfolio);
  EXPECT_EQ(proved.outcome.state, State::proved) << proved.outcome.detail;
  EXPECT_EQ(proved.strength, "ring");
  EXPECT_FALSE(proved.outcome.queries.empty());
  check_well_formed(proved);

  Rule relu = rule({"N"}, {row("x", N()), {"s", Format::f32, {}}}, {N()},
                   mul(apply(Op::max, {x(axis(0)), real_constant(0)}), load("s", {}, real)),
                   apply(Op::max, {mul(x(axis(0)), load("s", {}, real)), real_constant(0)}));
  const Obligation refuted = prove_rule(relu, portfolio);
  EXPECT_EQ(refuted.outcome.state, State::refuted);
  ASSERT_TRUE(refuted.outcome.witness);
  EXPECT_EQ(refuted.outcome.witness->executed_by, "evaluator");
  check_well_formed(refuted);

  Rule vacuous = associativity();
  vacuous.requirements = {less(n(5), N()), less(N(), n(3))};
  EXPECT_EQ(prove_rule(vacuous, portfolio).outcome.reason, Reason::vacuous);

  // A read past the end that both sides make is not equality.
  const Rule outside = rule({"N"}, {row("x", N())}, {N()}, x(add(axis(0), n(1))), x(add(n(1), axis(0))));
  EXPECT_EQ(prove_rule(outside, portfolio).outcome.state, State::refuted);
}

TEST(ProveRule, ASolverThatIsNotThereIsNotEvidence) {
  smt::PortfolioOptions options;
  options.wanted = {{"z3", smt::Dialect::z3, "/nonexistent/z3"},
                    {"cvc5", smt::Dialect::cvc5, "/nonexistent/cvc5"}};
  smt::Portfolio portfolio(options);
  EXPECT_EQ(prove_rule(associativity(), portfolio).outcome.state, State::unrun);
}

}  // namespace
}  // namespace hallmark::rules
