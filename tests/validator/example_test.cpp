// Instances of facts: what is found satisfies them, and of facts that contradict each other none is found.
#include "validator/symbolic/example.h"

#include <gtest/gtest.h>

#include "validator/symbolic/probe.h"

namespace hallmark::validator {
namespace {

using calculus::Term;
using namespace calculus;

const Term block = symbol("ctaid.x"), lane = symbol("tid.x"), step = variable("it.0");

std::vector<Term> launch() {
  return {in_range(lane, integer(256L)), in_range(block, integer(365L)), in_range(step, integer(32L))};
}

// The values of the terms, with the facts put to the test by substitution: a second way to the same answer.
void expect_instance(const std::vector<Term>& facts, const std::vector<Term>& terms) {
  const auto values = find_example(facts, terms);
  ASSERT_TRUE(values);
  ASSERT_EQ(values->size(), terms.size());
  Substitution at;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (terms[i]->kind == Kind::symbol || terms[i]->kind == Kind::variable)
      at[terms[i]] = integer((*values)[i]);
  for (const Term fact : facts) EXPECT_EQ(substitute(fact, at), truth(true));
  for (std::size_t i = 0; i < terms.size(); ++i) EXPECT_EQ(substitute(terms[i], at), integer((*values)[i]));
  EXPECT_EQ(*find_example(facts, terms), *values) << "the same in every run";
}

TEST(Example, OfAGuardedThread) {
  const Term g = add(scale(256, block), lane);
  const Term row = floor_div(g, integer(27L)), plane = floor_div(g, integer(729L));
  std::vector<Term> facts = launch();
  facts.push_back(less(g, integer(93312L)));
  const Term y = subtract(row, scale(27, plane));  // not in the first row
  facts.push_back(less(integer(0L), y));
  expect_instance(facts, {block, lane, step, row, plane});
}

TEST(Example, OfTwoThreadsAtOnePlace) {
  const Term other = symbol("tid.x'");
  std::vector<Term> facts = launch();
  facts.push_back(in_range(other, integer(256L)));
  facts.push_back(equal(add(scale(4, lane), integer(8L)), scale(4, other)));
  expect_instance(facts, {block, lane, step, other});
}

TEST(Example, OfTheLastStepOfALoop) {
  std::vector<Term> facts = launch();
  facts.push_back(less(integer(30L), step));
  expect_instance(facts, {block, lane, step});
}

TEST(Example, NoneOfFactsThatCannotHold) {
  std::vector<Term> facts = launch();
  facts.push_back(less(scale(256, block), integer(0L)));
  EXPECT_FALSE(find_example(facts, {block, lane, step}));
}

// Whatever is suggested, a vacuous claim has no instance, so that its paired check stays unsat.
TEST(Example, AVacuousClaimGetsNone) {
  smt::Arena arena;
  std::vector<Term> facts = launch();
  facts.push_back(less(scale(2, lane), block));
  facts.push_back(less(block, lane));
  const smt::Query query =
      claims_query(arena, {{Context::make(facts), less(lane, integer(0L))}}, Products::plain);
  EXPECT_TRUE(query.example.empty());
  facts.resize(3);
  const smt::Query plain =
      claims_query(arena, {{Context::make(facts), less(lane, integer(256L))}}, Products::plain);
  EXPECT_FALSE(plain.example.empty());
}

}  // namespace
}  // namespace hallmark::validator
