// Identities of IEEE 754 arithmetic, for every format, all NaNs being one value and 0 written without a sign
// being +0. Written terms are brought to one side of each identity, so that what remains is to show the same
// operations.
#pragma once
#include "calculus/term.h"

namespace hallmark::compare {

//   x * 1 = x / 1 = x              x - 0 = x               x * (-1) = x / (-1) = -x        -(-x) = x
//   x - y = x + (-y)               (-x) * y = -(x * y)     (-x) / y = x / (-y) = -(x / y)  |-x| = ||x|| = |x|
//   x * 2 = x + x                  x / 2^k = x * 2^-k (|k| <= 14, exact in f16 and wider formats)
//   max(x, x) = x, max associative, commutative; min likewise      -max(-x, -y) is left alone
// Not x + 0 = x (at -0) nor x - x = 0 (at infinity). Sources: IEEE 754-2019, sections 5.4, 6.3, 9.6.
calculus::Term ieee_normal(calculus::Term term);

}  // namespace hallmark::compare
