// Integer elements as elements of a sort that holds all their values: law NO-WRAP. Where no operation of an
// element can leave its format, whatever its tensors hold, it is the integer of Z that it is written as, and
// computing it with reals or in a wider format gives the same: i32(i16(a) * i16(b)) = i32(a) * i32(b) for a,
// b of i8.
#pragma once
#include <optional>

#include "calculus/term.h"

namespace hallmark::rules {

// The element of sort `sort` (Real or Int) with the value of `element`: operations, choices, widenings and
// sums over literally many steps as those of `sort`, the rest converted. Nothing where some operation may
// wrap, or where `sort` does not hold every value that occurs.
std::optional<calculus::Term> lifted(calculus::Term element, calculus::Sort sort);

}  // namespace hallmark::rules
