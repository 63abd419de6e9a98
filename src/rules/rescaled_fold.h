// Law RESCALE: a sum that a loop keeps relative to a running value m, as online softmax keeps it relative to
// the maximum so far,
//
//   s_0 = 0,  s' = s * exp(m - m') + sum of t * exp(e - m')      with t, e free of the loop's states,
//
// is the plain sum over all steps: s = (sum of t * exp(e)) * exp(-M), where M is what m ends as. By induction
// over the steps, s * exp(m) grows by t * exp(e); m may be any value. Milakov, Gimelshein 2018, theorem 1, is
// the case of a maximum. Where m starts as the neutral element of a maximum, its steps must be that maximum,
// so that it is a real number after the first of them, and the first may not depend on it.
#pragma once
#include <functional>
#include <optional>

#include "rules/normal_form.h"

namespace hallmark::rules {

// The component `which` of the fold, of at least two states, without its rescaling: a term of sums and
// exponentials. Nothing where the law does not apply. `form` normalises a term under the fold's own range.
std::optional<Term> without_rescaling(const calculus::FoldParts& parts, std::size_t which,
                                      const std::function<NormalForm(Term)>& form);

// Law ALONE: a component of a fold whose steps use no other component is a fold of its own. Nothing where
// they do, or where the fold's order is one of a formulation.
std::optional<Term> component_alone(const calculus::FoldParts& parts, std::size_t which);

}  // namespace hallmark::rules
