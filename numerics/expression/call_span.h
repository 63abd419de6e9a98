// Library functions and their derivatives over spans, as the search asks for them many times: the functions
// that increase are taken at both ends without an MPFI value around them, and what was asked last is kept,
// because a bisection changes one input and leaves most operands as they were.
#pragma once
#include <cstdint>
#include <vector>

#include "numerics/expression/expression.h"
#include "numerics/expression/span.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

class CallSpans {
 public:
  CallSpans();

  // Encloses the values on x; nowhere where x leaves the domain or a value has no double.
  Span value(Operation operation, Span x);
  // Encloses the derivative on x, given an enclosure of the values there.
  Span derivative(Operation operation, Span x, Span value);

 private:
  struct Entry {
    Operation operation = Operation::variable;  // no call
    bool derivative = false;
    Span x, value, result;
  };
  Entry& entry(Operation operation, bool derivative, Span x);

  std::vector<Entry> kept_;
};

Span as_span(const Interval& a);
Interval as_interval(Span a);

}  // namespace hallmark::numerics
