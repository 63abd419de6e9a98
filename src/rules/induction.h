// Law INDUCT: two functions of a size N are equal from its least value on where they are equal there, and
// wherever n + 1 of them follows from n. What is put to the prover for each:
//   substituted  one side is a fold over k < N, of any step: the other side at n + 1 is the step at k = n,
//   its
//                running value being the other side at n. So a running mean is the mean, whatever the step
//                is.
//   difference   both sides grow by the same from n to n + 1, folds over k < n + 1 being taken as those over
//                k < n and their last step. So a sum of integers is a polynomial.
// n is a symbol of its own with n < N, so that what is known of N and of elements stays as it is.
#pragma once
#include <vector>

#include "rules/prover.h"

namespace hallmark::rules {

struct Induction {
  Claim base;   // at the least value
  Claim first;  // from the least value to the next, where a step that divides by n would divide by 0
  Claim step;   // from n, beyond the least value if there is a `first`
  bool has_first = false;
};

std::vector<Induction> inductions(const Claim& claim);

}  // namespace hallmark::rules
