// Terms and summands as sums.h takes them apart: what a name or a constant is over the reals, renamed ranges,
// and summands in arithmetic progression. For the files of SumMatcher only.
#pragma once
#include <optional>
#include <string>

#include "validator/checks/sums.h"

namespace hallmark::validator {

bool mentions(calculus::Term term, calculus::Term leaf);
bool mentions(const Summand& summand, calculus::Term leaf);
// The name under which a function of the reals is known on both sides; empty: none.
std::string function_name(calculus::Term term);
// The real that a constant stands for; nothing for infinities, NaN and formats of 8 bits.
std::optional<Rational> real_value(calculus::Term constant);
bool is_infinity(calculus::Term term, bool negative);
// Whether no finite value of a format of floats lies beyond the constant: -FLT_MAX below f32 and f16, FLT_MAX
// above them.
bool bounds_format(calculus::Term constant, calculus::Format format, bool below);
Summand substituted(const Summand& summand, const calculus::Substitution& map);
// Ranges get names by position, so that summands of one shape become comparable.
Summand renamed(const Summand& summand, const std::string& prefix);
bool same_summand(const Summand& a, const Summand& b);
// A summand over `lane` that is `a` at 0 and `b` at 1, where the two differ in integer constants alone, or in
// any numbers (rows of an unrolled product are n apart). `key` gets the first difference that is an integer.
// A guess: whoever uses it substitutes the lanes and compares.
std::optional<Summand> generalised(const Summand& a, const Summand& b, calculus::Term lane, Integer& key,
                                   Steps steps);

}  // namespace hallmark::validator
