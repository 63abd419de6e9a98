// Index and Bool terms of the calculus as SMT terms over linear integer arithmetic.
//
// What is not linear becomes a variable with its definition beside it:
//   floor_div(p, c)   d with c*d <= p < c*d + c                      (c a positive constant)
//   floor_div(p, q)   d with q > 0 -> q*d <= p < q*d + q, q = 0 -> d = 0
//   min, max, select  by their definitions
//   a*b               an unknown with the sign rules of a product; two products with a common factor c >= 0
//   are
//                     ordered as what is left of them: x <= y gives c*x <= c*y, x < y gives c*x + c <= c*y
//   p - q*floor(p/q)  between 0 and q - 1, and so times each factor c >= 0 of a product of the query
//   element values    an unknown within the range of its format
// Definitions are true for every value of the other symbols, so they may stand among the hypotheses of any
// query. Names are numbered by first occurrence: the same claim gives the same text in every run.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "calculus/term.h"
#include "smt/term.h"
#include "validator/symbolic/context.h"

namespace hallmark::validator {

class Encoder {
 public:
  explicit Encoder(smt::Arena& arena) : arena_(arena) {}
  smt::Term encode(calculus::Term term);  // sort Index or Bool
  // Definitions of what has been encoded. To be called once, after the last encode(). `hint` suggests
  // constant bounds A, B for the lemma 0 <= a <= A, 0 <= b <= B gives a*b <= A*B; it need not be right.
  // For each fact p <= 0 and each factor c of a product, c >= 0 and p <= 0 give c*p <= 0, where every product
  // in it stands in the query already.
  const std::vector<smt::Term>& definitions(const Context* hint = nullptr);
  // The variable that stands for each leaf, product or element value, in order of first occurrence.
  const std::vector<std::pair<calculus::Term, std::string>>& variables() const { return variables_; }

 private:
  std::vector<calculus::Term> factors() const;      // of the products of the query
  bool speaks_of(calculus::Term polynomial) const;  // every product in it stands in the query
  smt::Term compute(calculus::Term term);
  smt::Term polynomial(calculus::Term term);
  smt::Term unknown(calculus::Term term, const std::string& stem, smt::Sort sort);
  smt::Term product(calculus::Term term);
  smt::Term quotient(calculus::Term term);
  smt::Term extremum(calculus::Term term);
  void order_products();
  void nest_quotients();
  void scale_remainders();
  void bound_products(const Context& hint);
  void multiply_facts(const Context& hint);
  void define(smt::Term term) { definitions_.push_back(term); }
  smt::Arena& arena_;
  std::map<calculus::Term, smt::Term> known_;
  std::map<std::string, int> counters_;
  std::set<std::string> names_;
  std::vector<smt::Term> definitions_;
  std::vector<std::pair<calculus::Term, std::string>> variables_;
};

}  // namespace hallmark::validator
