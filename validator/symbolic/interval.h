// Integer intervals with optional ends, and their propagation through index terms. A quick first look: what
// it decides is still put to the solvers where a verdict rests on it.
#pragma once
#include <map>
#include <optional>

#include "calculus/term.h"

namespace hallmark::validator {

struct Interval {
  std::optional<Integer> low, high;  // nothing: unbounded
  bool contains(const Integer& value) const;
  bool empty() const { return low && high && *high < *low; }
};
Interval point(const Integer& value);
Interval intersect(const Interval& a, const Interval& b);
Interval hull(const Interval& a, const Interval& b);
Interval sum(const Interval& a, const Interval& b);
Interval product(const Interval& a, const Interval& b);
Interval scaled(const Integer& factor, const Interval& a);

// Intervals of atoms (whatever is not a sum or a product), learnt from facts.
class Ranges {
 public:
  Interval of(calculus::Term index) const;  // any index term
  // Learns from `p <= 0`, `p = 0`; ignores other facts. Returns whether something became narrower.
  bool learn(calculus::Term fact);

 private:
  bool narrow(calculus::Term atom, const Interval& interval);
  bool learn_upper(calculus::Term polynomial);  // polynomial <= 0
  Interval structural(calculus::Term atom) const;
  Interval with_remainder(calculus::Term polynomial) const;
  std::map<calculus::Term, Interval> atoms_;
};

// The smallest and largest value that an element of an integer format can have.
Interval format_range(calculus::Format format);

}  // namespace hallmark::validator
