#include <gtest/gtest.h>

#include "smt/answer.h"

namespace hallmark::smt {
namespace {

TEST(Reply, OnlyOnePlainWordIsAnAnswer) {
  EXPECT_EQ(word_of("unsat\n"), Word::unsat);
  EXPECT_EQ(word_of("sat\r\n"), Word::sat);
  EXPECT_EQ(word_of("unknown\n"), Word::unknown);
  for (const char* text : {"", "\n", "unsat\nunsat\n", "(error \"x\")\nunsat\n", "unsat\n(error \"x\")\n",
                           "UNSAT\n", "unsupported\nunsat\n", "sat unsat\n", "success\nunsat\n", "unsat.\n"})
    EXPECT_EQ(word_of(text), Word::garbage) << text;
}

TEST(Reply, ReasonsOfUnknown) {
  EXPECT_EQ(reason_of_unknown("(:reason-unknown \"max. resource limit exceeded\")"), Reason::resource_limit);
  EXPECT_EQ(reason_of_unknown("(:reason-unknown \"canceled\")"), Reason::resource_limit);
  EXPECT_EQ(reason_of_unknown("(:reason-unknown resourceout)"), Reason::resource_limit);
  EXPECT_EQ(reason_of_unknown("(:reason-unknown timeout)"), Reason::wall_limit);
  EXPECT_EQ(reason_of_unknown("(:reason-unknown memout)"), Reason::memory_limit);
  EXPECT_EQ(reason_of_unknown("(:reason-unknown incomplete)"), Reason::gave_up);
  EXPECT_EQ(reason_of_garbage("(error \"out of memory\")"), Reason::memory_limit);
  EXPECT_EQ(reason_of_garbage("Segmentation fault"), Reason::solver_crash);
}

TEST(Reply, ModelsOfBothSolvers) {
  const Sort integer = Sort::integer(), real = Sort::real(), bits = Sort::bit_vector(8);
  const auto model = parse_model(
      "((v_a 5)\n (v_b (- 7)) (v_c (/ (- 1) 2)) (v_d (- (/ 3.0 2.0))) (v_e 2.25) (v_f true) (v_g #x0f)"
      " (v_h (_ bv5 8)) (v_i (root-obj (+ (^ x 2) (- 2)) 1)) (v_j 1.5))",
      {{"a", "v_a"},
       {"b", "v_b"},
       {"c", "v_c"},
       {"d", "v_d"},
       {"e", "v_e"},
       {"f", "v_f"},
       {"g", "v_g"},
       {"h", "v_h"},
       {"i", "v_i"},
       {"j", "v_j"},
       {"k", "v_k"}},
      {integer, integer, real, real, real, Sort::boolean(), bits, bits, real, integer, integer});
  ASSERT_EQ(model.size(), 8U);
  EXPECT_EQ(model[0].second, Value::integer(5));
  EXPECT_EQ(model[1].second, Value::integer(-7));
  EXPECT_EQ(model[2].second, Value::real(Rational(-1, 2)));
  EXPECT_EQ(model[3].second, Value::real(Rational(-3, 2)));
  EXPECT_EQ(model[4].second, Value::real(Rational(9, 4)));
  EXPECT_TRUE(model[5].second.is_true());
  EXPECT_EQ(to_string(model[6].second), "#x0f");
  EXPECT_EQ(model[7].second.number, 5);
}

TEST(Reply, HostileModelsAreLeftOut) {
  const std::vector<std::pair<std::string, std::string>> variables = {{"a", "v_a"}};
  const std::vector<Sort> sorts = {Sort::integer()};
  for (const std::string& text : {std::string(100'000, '('), std::string("((v_a"), std::string("((v_a 1.5))"),
                                  std::string("((v_a (/ 1 0)))"), std::string("((v_b 1))"), std::string("")})
    EXPECT_TRUE(parse_model(text, variables, sorts).empty());
}

}  // namespace
}  // namespace hallmark::smt
