// Terms whose sum errs in one direction at nearly every addition: the witness side of sum_error.h.
//
// Random terms lose and gain alike, so that their errors grow like the root of the number of terms; a bound
// can only be met by terms that are built for the order. Nothing rests on this: what is built here is run and
// certified like any other point.
#pragma once
#include <cstddef>
#include <vector>

#include "calculus/term.h"

namespace hallmark::numerics {

struct AdverseSum {
  const calculus::Order* order = nullptr;
  std::size_t count = 0;
  calculus::Format sum = calculus::Format::f32;   // of the partial sums
  calculus::Format term = calculus::Format::f32;  // of the factors
  bool first_rounds = false;                      // a fused step onto 0
  double largest = 1;  // every factor lies in [least, largest], nearest to `largest`
  double least = 0;    // 0 <= least < largest
  double first = 0;    // the first factor, if not 0
  // Beyond the first quarter of the factors, 2^-smaller of `largest`: values of a coarse format all alike add
  // up without any rounding, small ones onto a large sum do not.
  int smaller = 0;
  double weight = 1;            // a term is its factor times this, positive
  bool products_round = false;  // to the format of the sum
  bool upwards = false;         // the direction of the errors
};

// The factors, one after the other in the order of the steps; empty for orders that are not known, formats
// wider than f32 and more than 2^16 terms.
std::vector<double> adverse_terms(const AdverseSum& sum);

}  // namespace hallmark::numerics
