// The tree that a declared order makes of a reduction: how many roundings a leaf meets on its way to the
// result.
#pragma once
#include "base/integer.h"
#include "calculus/term.h"

namespace hallmark::numerics {

struct TreeShape {
  Integer height;      // roundings between any leaf and the result, at most
  Integer operations;  // roundings in all, at most
  bool first_is_exact = false;
};

// For n steps, n at most `steps`, in every order of the calculus but mma (nothing for it, and for a tree of
// fewer leaves than steps); of `any`, for whichever order is taken. Monotone in n, so the greatest n covers
// the others (soundness B9). `first_is_exact`: the first step of a lane does not round (0 + x; not a fused
// multiply-add).
std::optional<TreeShape> tree_shape(const calculus::Order& order, const Integer& steps, bool first_is_exact);

// By how much the numbers of roundings that n leaves meet stay below the height of tree_shape(order, n,
// true), at least, all leaves together: (n - 1)(n - 2) / 2 in a sequence. 0 where nothing better is known.
Integer spared_roundings(const calculus::Order& order, const Integer& steps);

}  // namespace hallmark::numerics
