// Small pieces that operators are made of.
#pragma once
#include <functional>
#include <vector>

#include "operators/context.h"

namespace hallmark::operators {

Term zero_of(Sort sort);  // Real, Int; Bool: false
Term one_of(Sort sort);
// `value` in the sort, Real or Int. Throws InternalError when an Int sort cannot hold it.
Term number_of(Sort sort, const Rational& value);
Term plus(Term a, Term b);
Term minus(Term a, Term b);
Term times(Term a, Term b);
Term quotient(Term a, Term b);
Term real(const Rational& value);
// The number of elements in a range of indices as a real.
Term real_of(Term index);
Term clamp(Term index, Term low, Term high);
// parts[index] as a balanced tree of selections; parts[0] alone when there is one. For no parts, zero.
Term choose(Term index, const std::vector<Term>& parts, Sort sort);
// The same for consecutive intervals: parts[j] where starts[j] <= index < starts[j + 1], starts[0] = 0.
Term choose_interval(Term index, const std::vector<Term>& starts, const std::vector<Term>& parts);
// Where a maximum (sign = -1) or minimum (+1) over a range starts: extreme() or the format's own end.
Term start_of_extremum(int sign, Sort sort);

// One axis of a reduction: k < extent where guard.
struct Range {
  Term variable = nullptr;
  Term extent = nullptr;
  Term guard = nullptr;  // nullptr: true
};
Range range(const char* hint, Term extent);
// A reduction over several axes with one running value: the fold over the last axis starts from the state of
// the fold before it, so that a kernel keeps one accumulator. `body` is over the ranges' variables.
Term reduce_over(calculus::Op op, Term init, const std::vector<Range>& ranges, Term body);
Term sum_over(const std::vector<Range>& ranges, Term body);
Term maximum_over(const std::vector<Range>& ranges, Term body);
Term minimum_over(const std::vector<Range>& ranges, Term body);
// The same for a tuple of states.
using TupleStep = std::function<std::vector<Term>(const std::vector<Term>& states)>;
std::vector<Term> fold_over(const std::vector<Term>& init, const std::vector<Range>& ranges,
                            const TupleStep& step);

}  // namespace hallmark::operators
