// A formulation with its roundings taken away: the left side of the `erasure` obligation (soundness A5).
#pragma once
#include <vector>

#include "formulation/formulate.h"

namespace hallmark::formulation {

// Formats and roundings go, fold orders and combines go, fma becomes mul and add, maxnum and minnum become
// max and min, an infinite start value becomes extreme(), custom operations of functions.h become the real
// operation, encodings become the rationals of `constants` (their own value where none is recorded, or where
// two constants of one definition share an encoding). Applied to an exact program it only takes away what a
// formulation does not keep (fold combines, reciprocal written as division), so that
// erase(formulate(p)) == erase(p). Throws Refusal E7004 for a NaN or an infinity that no exact term has,
// for custom operations without a real meaning, and for a combine that is not the operation of the steps (of
// which nothing says that lanes put together by it give the fold).
calculus::Program erase(const calculus::Program& program, const std::vector<RoundedConstant>& constants = {});

// Definitions, outputs and declarations equal, bodies pointer-equal.
bool same_program(const calculus::Program& a, const calculus::Program& b);

}  // namespace hallmark::formulation
