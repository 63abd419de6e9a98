// The average shift of shifted exponentials: why the denominator of a softmax pays ln n and not the range.
//
// Let t_k >= 0, one of them 0, and w_k = e^(-t_k). An error that grows with the shift, |d_k| <= c + d t_k,
// moves the sum by at most sum w_k (c + d t_k) = (c + d A) sum w_k with A = sum w_k t_k / sum w_k. For every
// l >= 0 with l >= (n - 1) e^(-(l + 1)) the average A is at most l: sum w_k (t_k - l) <= -l + (n - 1) max_t
// e^(-t) (t - l), and e^(-t) (t - l) is greatest at t = l + 1. (The design notes use Gibbs' inequality, A <=
// ln n; this is its sharp form, about ln n - ln ln n - 1.)
#pragma once
#include "base/integer.h"
#include "numerics/interval.h"

namespace hallmark::numerics {

// An upper bound of A for at most `count` shifts, each at most `greatest`. From 0.
Interval average_shift(const Integer& count, const Interval& greatest);

}  // namespace hallmark::numerics
