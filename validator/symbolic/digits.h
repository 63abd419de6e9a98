// A claim about flat indices that it takes apart by / and %, over their digits.
//
// With i = f0 + D1 f1 + .. + Dn fn, D1 | D2 | .. | Dn and 0 <= f_k < D_{k+1} / D_k for k < n, every quotient
// floor(i / D_k) is f_k + (D_{k+1} / D_k) f_{k+1} + ..: where all radices are positive each i has such digits
// (Knuth, The Art of Computer Programming, volume 2, section 4.1, mixed radix). So a claim for every i is the
// claim for all digits, and one of the unknowns of i, of which it is a sum, gives way to them. What is left
// is a claim about a box of digits, as if the launch had as many dimensions.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "calculus/term.h"

namespace hallmark::validator {

struct DigitClaim {
  // To be shown of the claim as it was given: that radices are positive, without which the ranges of the
  // digits might contradict each other and everything would follow, and that an index is not negative.
  std::vector<calculus::Term> premises;
  std::vector<calculus::Term> facts;  // the given ones and the ranges of the digits, over the digits
  calculus::Term goal = nullptr;
  std::size_t divisors = 0;  // of the index with the most of them
};

// Nothing where facts and goal divide no flat index by what is no constant. Divisions of quotients, as in
// i / W / H, become one where `is_evident` says that both divisors are positive, which is to be shown as
// well.
std::optional<DigitClaim> in_digits(const std::vector<calculus::Term>& facts, calculus::Term goal,
                                    const std::function<bool(calculus::Term)>& is_evident);

// Whether a term speaks of digits.
bool speaks_of_digits(calculus::Term term);

// Whether the term divides something by what is no constant.
bool divides_by_symbols(calculus::Term term);

}  // namespace hallmark::validator
