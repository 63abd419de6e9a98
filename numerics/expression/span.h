// Closed intervals with double ends, rounded outward by error-free transformations: the fast arithmetic of
// the search for a bound. Nothing rests on it: what is published is what the certificate's checker finds with
// MPFI.
//
// An end moves only when the operation was inexact, so a bound that is a power of two stays in its binade
// (design notes, numerics.md section 4). Ends may be infinite; a value outside the domain is not defined.
#pragma once
#include <limits>

namespace hallmark::numerics {

struct Span {
  double low = 0, high = 0;
  static Span nowhere();
  bool defined() const { return low <= high; }
  double magnitude() const;
};

double add_down(double a, double b);
double add_up(double a, double b);
double multiply_down(double a, double b);
double multiply_up(double a, double b);

Span operator+(Span a, Span b);
Span operator-(Span a, Span b);
Span operator-(Span a);
Span operator*(Span a, Span b);
Span divide(Span a, Span b);  // nowhere when 0 is in b
Span square(Span a);
Span square_root(Span a);  // nowhere when a reaches below 0
Span absolute(Span a);
Span hull(Span a, Span b);
Span least(Span a, Span b);
Span greatest(Span a, Span b);

}  // namespace hallmark::numerics
