// Law RANK: the element of a sorted order, as TopK finds it. With
//
//   rank(i) = sum(j < N where x[i] < x[j] or (x[i] = x[j] and j < i)) 1        (or the other way round, for
//   the least)
//
// and x of a total order, each number from 0 to N - 1 is the rank of exactly one i < N: `before` is a strict
// total order on the indices, and the rank counts what stands before. So
//
//   fold(i < N where rank(i) = r; s = a -> t(i))  =  t(p),   p = fold(i < N where rank(i) = r; s = 0 -> i)
//
// for 0 <= r < N, and for r = 0 p is the position of the first maximum, and t(p) = max(i < N) x[i] for t(i) =
// x[i]. Of reals and integers; a NaN has no place in an order.
#pragma once
#include "calculus/term.h"
#include "rules/oracle.h"

namespace hallmark::rules {

// The term with each such fold replaced. That r is a rank and that the count stays in its format is shown.
calculus::Term ranked(calculus::Term term, const Facts& facts, Oracle& oracle);

}  // namespace hallmark::rules
