// A flat index that an address takes apart again, as in y[(i / cols) * ld + i % cols] with i = 256*b + t: of
// its unknowns the address sees i alone, and of i its digits to the bases 1, cols.
#pragma once
#include <optional>

#include "validator/symbolic/arithmetic.h"

namespace hallmark::validator {

struct FlatIndex {
  calculus::Term index = nullptr;        // over some of the unknowns
  std::vector<calculus::Term> unknowns;  // these
  calculus::Term address = nullptr;      // over the digits and the other unknowns
  std::vector<calculus::Term> digits;    // the lowest first
  calculus::Term value = nullptr;        // the index over its digits
  std::vector<calculus::Term> ranges;    // of all digits but the uppermost
  calculus::Substitution of_index;       // each digit, as quotients of the index
};

// Nothing where no division of a flat index by a symbol, or of a sum of unknowns, occurs in the address,
// where the divisors are no chain each dividing the next, or where the address sees an unknown of the index
// otherwise.
std::optional<FlatIndex> take_flat_index_apart(calculus::Term address,
                                               const std::vector<calculus::Term>& unknowns);

}  // namespace hallmark::validator
