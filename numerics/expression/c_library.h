// The C library's functions of one argument, by operation: the values that an executed expression takes at
// the border of a domain (infinities and NaN), and the fast values of the search for a witness. Nothing is
// proved with them.
#pragma once
#include <cmath>

#include "numerics/expression/expression.h"

namespace hallmark::numerics {

// x itself for an operation that is none of one argument.
template <class Real>
Real c_library(Operation operation, Real x) {
  switch (operation) {
    case Operation::sqrt:
      return std::sqrt(x);
    case Operation::exp:
      return std::exp(x);
    case Operation::exp2:
      return std::exp2(x);
    case Operation::expm1:
      return std::expm1(x);
    case Operation::log:
      return std::log(x);
    case Operation::log2:
      return std::log2(x);
    case Operation::log10:
      return std::log10(x);
    case Operation::log1p:
      return std::log1p(x);
    case Operation::sin:
      return std::sin(x);
    case Operation::cos:
      return std::cos(x);
    case Operation::tan:
      return std::tan(x);
    case Operation::asin:
      return std::asin(x);
    case Operation::acos:
      return std::acos(x);
    case Operation::atan:
      return std::atan(x);
    case Operation::sinh:
      return std::sinh(x);
    case Operation::cosh:
      return std::cosh(x);
    case Operation::tanh:
      return std::tanh(x);
    case Operation::asinh:
      return std::asinh(x);
    case Operation::acosh:
      return std::acosh(x);
    case Operation::atanh:
      return std::atanh(x);
    case Operation::erf:
      return std::erf(x);
    case Operation::erfc:
      return std::erfc(x);
    case Operation::cbrt:
      return std::cbrt(x);
    case Operation::floor:
      return std::floor(x);
    case Operation::ceil:
      return std::ceil(x);
    case Operation::trunc:
      return std::trunc(x);
    case Operation::round:
      return std::round(x);
    case Operation::nearbyint:
      return std::nearbyint(x);
    default:
      return x;
  }
}

}  // namespace hallmark::numerics
