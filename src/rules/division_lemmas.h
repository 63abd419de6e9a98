// Ground instances of the laws of floor division and products for the terms that occur in a claim. Every
// instance is true for all integers, so that each may be a hypothesis; they turn minutes of a solver's time
// into milliseconds.
//
//   EUCLID  d > 0: d * (x / d) <= x < d * (x / d) + d
//   MONO    d > 0, u < v: d * u + d <= d * v      for two multiples d * u, d * v (quotients by d among the u,
//           v, and what d is multiplied by in a whole inequality); d may be two sizes multiplied
//   SCALE   d >= 0, h <= 0: d * h <= 0            for a size d and an inequality h of the claim
#pragma once
#include <vector>

#include "calculus/term.h"

namespace hallmark::rules {

using calculus::Term;

// At most a hundred or so; empty when nothing is divided or multiplied by anything but integers.
std::vector<Term> division_lemmas(const std::vector<Term>& claim);

}  // namespace hallmark::rules
