#include "calculus/widening.h"

namespace hallmark::calculus {

bool holds_values_of(Format wide, Format narrow) {
  const bool narrow_is_short = narrow == Format::f16 || narrow == Format::bf16;
  return wide == narrow || (wide == Format::f64 && (narrow == Format::f32 || narrow_is_short)) ||
         (wide == Format::f32 && narrow_is_short);
}

}  // namespace hallmark::calculus
