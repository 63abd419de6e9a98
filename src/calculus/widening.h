// Which formats hold all values of which others.
#pragma once
#include "calculus/sort.h"

namespace hallmark::calculus {

// Every value of the float format `narrow` is one of `wide`: by IEEE 754 f64 holds f32, f16 and bf16, and f32
// holds f16 and bf16. f16 and bf16 hold each other's values in neither direction. Other formats hold only
// their own.
bool holds_values_of(Format wide, Format narrow);

}  // namespace hallmark::calculus
