// Inputs on which an expression errs: found by sampling, certified with MPFI.
//
// The search runs the expression in its formats and, beside it, in long double; nothing rests on that. What
// is reported was computed once more: the executed value with correctly rounded operations (library calls
// included), the exact value at the real input enclosed by MPFI with 256 bits.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "contract/contract.h"
#include "numerics/expression/expression.h"
#include "numerics/expression/span.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

struct ExpressionWitness {
  // finite: the error counts. Otherwise no tolerance is met: the executed value is an infinity or NaN where
  // the exact one exists, or the exact one does not exist (`node` leaves its domain) though the precondition
  // admits the input.
  enum class Kind { finite, infinite, not_a_number, undefined } kind = Kind::finite;
  int node = -1;
  std::vector<Rational> inputs;  // reals in the box, meeting the precondition
  std::vector<double> rounded;   // what the machine gets
  double computed = 0;
  Interval exact;  // encloses the value over the reals
  Rational error;  // |computed - exact| is at least this
};

struct WitnessSearch {
  std::size_t samples = 12'000;
  std::uint64_t seed = 1;
  // Looks for the greatest error as a multiple of this; nothing: for the greatest error.
  contract::Tolerance tolerance;
};

// The executed value on inputs that are values of their formats, an infinity and NaN among them; nothing
// where it is not decided.
std::optional<double> execute(const Expression& e, const std::vector<double>& inputs);
// Encloses the exact value (of the specification, where there is one); nothing outside the domain or where a
// choice is undecided.
MaybeInterval exact_value_at(const Expression& e, const std::vector<Rational>& inputs);
// `value` rounded to nearest in a format; nothing for an overflow.
std::optional<double> nearest_in(calculus::Format format, const Rational& value);

// The certified error at one real input; nothing when it does not meet the precondition or has no value.
std::optional<ExpressionWitness> certify(const Expression& e, const ExpressionModel& model,
                                         const std::vector<Rational>& inputs);
// Whether an input is found that the precondition admits: by the same search, so that no says nothing.
bool finds_input(const Expression& e, const ExpressionModel& model,
                 const std::vector<std::vector<Span>>& hints, const WitnessSearch& options = {});
// Deterministic. `hints`: boxes to look into first.
std::optional<ExpressionWitness> find_witness(const Expression& e, const ExpressionModel& model,
                                              const std::vector<std::vector<Span>>& hints,
                                              const WitnessSearch& options = {});

}  // namespace hallmark::numerics
