// Products that are added to something, as one operation.
#pragma once
#include "formulation/formulate.h"

namespace hallmark::formulation {

// The formulation with every sum of a rounded product and something else, both in one format, as one fma: one
// rounding instead of two. Of two products the first becomes part of the fma. Functions and what is already an
// fma stay as they are; the exact value is the same (erase.h).
Formulation contract_products(Formulation formulation);

}  // namespace hallmark::formulation
