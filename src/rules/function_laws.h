// Laws of log, roots and powers for the sum normal form, each under side conditions that are shown:
//   LOG-HOM   log(a b) = log a + log b, log(1 / a) = -log a, log(exp a) = a, for a, b > 0; exp(log a) = a for
//   a > 0 ROOT-HOM  sqrt(a b) = sqrt(a) sqrt(b), sqrt(a) sqrt(a) = a for a, b >= 0; rsqrt(a) = 1 / sqrt(a)
//   for a > 0;
//             a / sqrt(a) = sqrt(a) for a > 0; sqrt(sum of a a b) = a sqrt(sum of b) for a >= 0, the sum >= 0
//   POW       pow(a, n) is a product for n = 1 .. 8, pow(a, 1/2) = sqrt(a) for a >= 0, pow(a, -p) = 1 /
//   pow(a, p) for
//             a > 0
//             pow(a, t) = exp(t log a) for a > 0 and any other t
//   INTEGER   floor, ceil, trunc and round_even of an integer are that integer
#pragma once
#include <functional>
#include <optional>

#include "rules/normal_form.h"

namespace hallmark::rules {

using Normalise = std::function<NormalForm(Term)>;

// The normal form of log(t), sqrt(t), rsqrt(t), where t, written so, has the form given; empty when no law
// applies.
std::optional<NormalForm> log_form(const NormalForm& of, const Context& context, const Normalise& normalise);
std::optional<NormalForm> sqrt_form(Term written, const NormalForm& of, const Context& context);
std::optional<NormalForm> rsqrt_form(Term written, const NormalForm& of, const Context& context,
                                     const Normalise& normalise);
std::optional<NormalForm> pow_form(Term base, Term exponent, const Context& context,
                                   const Normalise& normalise);
// Whether every value of the form is an integer: what was rounded, indices, and sums, products, max and min
// of them.
bool is_whole(const NormalForm& form);
// Joins roots among a summand's factors.
void join_roots(Summand& s, const Context& context);

}  // namespace hallmark::rules
