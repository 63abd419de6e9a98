// Claims about indices as SMT-LIB text for the checker of certificate/: the text has no solution only if the
// hypotheses entail the goal. Written anew: nothing of smt/ or rules/.
//
// Products and quotients of unknowns are unknowns. A quotient floor(p / d) by a positive number, or by a term
// that is among `positive`, is defined by d q <= p < d q + d. Products of two of the claim's inequalities may
// be added to it.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "pairs/sums.h"

namespace hallmark::pairs {

struct Claim {
  std::vector<Term> hypotheses;  // Bool; those about elements are left out of the text
  std::vector<Term> positive;    // index terms that the hypotheses were shown to make positive
  Term goal = nullptr;           // p <= 0, or false
  std::vector<std::pair<std::size_t, std::size_t>> products;
  int direction = 0;  // claims of one direction have their hypotheses in common
};

// Polynomials that are at least 0 in every counterexample: those of the hypotheses, of positive terms, of the
// quotients that the claim mentions, and last that of the goal's negation. `products` numbers these.
std::vector<Term> inequalities(const Claim& claim);
// Throws NotShown for a product of no such inequality or a goal about elements.
std::string query_text(const Claim& claim);
// Divisors of the quotients in the terms that are no numbers, inner ones first.
std::vector<Term> open_divisors(const std::vector<Term>& terms);
// Whether the term is about indices alone.
bool about_indices(Term a);

}  // namespace hallmark::pairs
