// A maximum or minimum as the set of elements that it is taken of:
//
//     the values of `body`, for all binders where guard holds
//
// one for each part of the set. Of the laws of a total order only that an extremum of extrema is that of all
// their elements, and that of a choice the one of both arms, each where it is chosen. The extremum of nothing
// is below (above) every number, as `extreme` is. Two extrema are equal where every element of each is an
// element of the other: no map has to be one to one.
#pragma once
#include <optional>
#include <vector>

#include "pairs/sums.h"

namespace hallmark::pairs {

// The operation, max or min, that the element is a fold or an application of, over reals or integers.
std::optional<calculus::Op> extremum_of(Term a);

// Its parts, each with one factor: the body. A term of another operation is one part by itself. The binders
// of a part are variables that no other one has, of this call. Throws NotShown for what grows too long.
std::vector<Summand> elements_of(calculus::Op op, Term a, int& opened);

}  // namespace hallmark::pairs
